package summary

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Code returns a text of others as code within a line, whatever it has.
func Code(text string) string {
	text = line(text)
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Block returns a text of others as a block of code, whatever it has.
func Block(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// Text returns a text of others within a line, without anything that Markdown or HTML would not only show. It makes no
// link to an address of the web.
func Text(text string) string {
	var safe strings.Builder
	text = line(text)
	for i, r := range text {
		before, after := text[:i], text[i+utf8.RuneLen(r):]
		switch {
		case strings.ContainsRune("\\`*_[]|~$#", r), before == "" && strings.ContainsRune("+->", r),
			(r == '.' || r == ')') && isNumber(before): // of a list
			safe.WriteByte('\\')
			safe.WriteRune(r)
		case strings.ContainsRune("<&@", r), r == '.' && endsInWWW(before),
			r == ':' && after != "" && after[0] != ' ': // of an address, or of an emoji
			fmt.Fprintf(&safe, "&#%d;", r)
		default:
			safe.WriteRune(r)
		}
	}
	return safe.String()
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func endsInWWW(text string) bool {
	return len(text) >= 3 && strings.EqualFold(text[len(text)-3:], "www")
}

// line returns a text as one line without control characters and marks of direction.
func line(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029':
			return ' '
		case r == '\u061c' || r >= '\u200b' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' ||
			r >= '\u2066' && r <= '\u2069' || r == '\ufeff':
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))), " ")
}
