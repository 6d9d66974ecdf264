package store

import (
	"regexp"
	"slices"
	"strings"
)

// mentionPattern matches a mention of a user in a text, by id or by e-mail address.
var mentionPattern = regexp.MustCompile(`(?:^|[^\w.@])@(usr_[0-9a-hjkmnp-tv-z]{26}\b|[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+)`)

const maxMentions = 50 // in one text

// Mentioned returns the ids and the e-mail addresses that a text mentions, in small letters and in their order.
func Mentioned(text string) (names []string) {
	if !strings.Contains(text, "@") {
		return nil
	}
	for _, m := range mentionPattern.FindAllStringSubmatch(text, maxMentions) {
		if name := strings.ToLower(m[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ReplaceMentions returns a text in which each mention is replaced. replacement takes the id or the e-mail address in
// small letters.
func ReplaceMentions(text string, replacement func(name string) string) string {
	var b strings.Builder
	end := 0
	for _, m := range mentionPattern.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[end:m[2]])
		b.WriteString(replacement(strings.ToLower(text[m[2]:m[3]])))
		end = m[3]
	}
	b.WriteString(text[end:])
	return b.String()
}
