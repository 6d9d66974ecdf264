package redact

import (
	"strings"
	"unicode"
)

// maxOutline is the number of characters of the longest outline.
const maxOutline = 40

// Outline returns the form of a value without the value: a for a small letter, A for a capital, 9 for a digit, and
// signs as they are. Of a long value it is the beginning.
func Outline(value string) string {
	var b strings.Builder
	n := 0
	for _, c := range value {
		if n++; n > maxOutline {
			b.WriteString("…")
			break
		}
		switch {
		case unicode.IsUpper(c):
			c = 'A'
		case unicode.IsLetter(c):
			c = 'a'
		case unicode.IsNumber(c):
			c = '9'
		case !unicode.IsGraphic(c):
			c = ' '
		case c > unicode.MaxASCII:
			c = '?'
		}
		b.WriteRune(c)
	}
	return b.String()
}
