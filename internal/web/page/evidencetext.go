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

// indented returns JSON in lines.
func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
