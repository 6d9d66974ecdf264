package page

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// head returns the beginning of a text as one line.
func head(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	return cut(strings.TrimRight(line, "\r"), maxHead)
}

// cut returns a text of at most so many bytes, with an ellipsis in place of the rest.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// indented returns JSON in lines. JSON whose lines would be far longer than it, because its values are nested deeply,
// stays as it is.
func indented(raw []byte) string {
	var b bytes.Buffer
	if indentedSize(raw) > 8*len(raw)+4096 || json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// indentedSize returns about how many bytes JSON has in lines.
func indentedSize(raw []byte) int {
	size, depth, inString := len(raw), 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			inString = !inString
		case inString:
			if c == '\\' {
				i++
			}
		case c == '[' || c == '{':
			depth++
			size += 2 * depth
		case c == ',':
			size += 2 * depth
		case c == ']' || c == '}':
			depth--
			size += 2 * depth
		}
	}
	return size
}
