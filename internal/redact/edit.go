package redact

import "strings"

// edit replaces s[start:end].
type edit struct {
	start, end int
	kind       string
	with       string
}

// apply makes edits.
func apply(s string, edits []edit) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, e := range edits {
		b.WriteString(s[at:e.start])
		b.WriteString(e.with)
		at = e.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// untilStable makes the edits that find returns until there are none. ok is false when there are still some after maxRounds.
func untilStable(s string, c Counts, find func(string) []edit) (string, bool) {
	for range maxRounds {
		edits := find(s)
		if len(edits) == 0 {
			return s, true
		}
		for _, e := range edits {
			c.count(e.kind)
		}
		s = apply(s, edits)
	}
	return s, false
}

const (
	maxDepth  = 5 // of texts within texts
	maxRounds = 5
)
