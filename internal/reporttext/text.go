package reporttext

import (
	"strings"
	"unicode"
)

// inlineText returns text from outside for a line of Markdown: without line breaks and without markup.
func inlineText(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r),
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r): // invisible, or changes the direction of text
			return -1
		}
		return r
	}, s)), " ")
	return strings.NewReplacer("`", "'", "|", "/", "<", "(", ">", ")", "[", "(", "]", ")", "*", "·", "#", "＃").
		Replace(truncate(s, 300))
}

// truncate returns at most limit characters of a text.
func truncate(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n > limit {
			return s[:i]
		}
	}
	return s
}
