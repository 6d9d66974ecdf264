package summary

import "strings"

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

// Text returns a text of others within a line, without anything that Markdown or HTML would not only show. It makes
// neither links nor mentions.
func Text(text string) string {
	var safe strings.Builder
	for _, r := range line(text) {
		switch r {
		case '<':
			safe.WriteString("&lt;")
		case '&':
			safe.WriteString("&amp;")
		case '@':
			safe.WriteString("&#64;")
		case ':': // of an address, or of an emoji
			safe.WriteString("&#58;")
		case '.': // of www.host.example
			safe.WriteString("&#46;")
		default:
			if strings.ContainsRune("\\`*_{}[]()#+-!|>~\"'$^=", r) {
				safe.WriteByte('\\')
			}
			safe.WriteRune(r)
		}
	}
	return safe.String()
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
