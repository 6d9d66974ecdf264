package evidence

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Needle is a text for which rows are searched before they are decoded. Case is ignored. It is not safe for concurrent
// use.
type Needle struct {
	text   []byte // in lower case, as JSON escapes it; nil when there are several ways to escape it
	buffer []byte
}

// NewNeedle returns a Needle of a text.
func NewNeedle(text string) *Needle {
	escaped, err := marshal(strings.ToLower(text))
	if err != nil || bytes.Contains(escaped, []byte(`\u`)) {
		return &Needle{}
	}
	return &Needle{text: escaped[1 : len(escaped)-1]}
}

// Possible reports whether a row may contain the text. It is also true for a row with escapes that have another form.
func (n *Needle) Possible(row []byte) bool {
	if len(n.text) == 0 || bytes.Contains(n.lower(row), n.text) {
		return true
	}
	return bytes.Contains(row, []byte(`\u`)) || bytes.Contains(row, []byte(`\/`))
}

// lower returns a row in lower case, which is valid until the next call.
func (n *Needle) lower(row []byte) []byte {
	n.buffer = append(n.buffer[:0], row...)
	for i, c := range n.buffer {
		switch {
		case c >= utf8.RuneSelf:
			return bytes.ToLower(row)
		case c >= 'A' && c <= 'Z':
			n.buffer[i] = c + 'a' - 'A'
		}
	}
	return n.buffer
}
