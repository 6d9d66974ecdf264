package tracker

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"bugslice/internal/schema"
)

// normalLabel returns a label without invisible characters, with one space between its words and none around them,
// and with composed letters where both forms of a letter look alike. Two labels that look alike would be two groups
// of reports. It is empty for an invisible label.
func normalLabel(label string) string {
	seen := strings.Join(strings.Fields(schema.WithoutHidden(label)), " ")
	if composed := norm.NFC.String(seen); utf8.RuneCountInString(composed) <= utf8.RuneCountInString(seen) {
		return composed
	}
	return seen // a few letters have no composed form that is not longer
}

// withNormalLabels returns the labels of a filter with their normal forms. A stored label may be older than these.
func withNormalLabels(labels []string) (all []string) {
	for _, label := range labels {
		all = append(all, label)
		if normal := normalLabel(label); normal != label && normal != "" {
			all = append(all, normal)
		}
	}
	return all
}
