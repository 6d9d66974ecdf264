package evidence

import (
	"bytes"
	"unicode/utf8"

	"bugslice/internal/words"
)

// Needle is a text for which rows are searched before they are decoded. Both are compared as searches compare them.
// It is not safe for concurrent use.
type Needle struct {
	text   []byte // folded, as JSON escapes it; nil when there are several ways to escape it
	buffer []byte
}

// NewNeedle returns a Needle of a text.
func NewNeedle(text string) *Needle {
	escaped, err := marshal(words.Fold(text))
	if err != nil || bytes.Contains(escaped, []byte(`\u`)) {
		return &Needle{}
	}
	return &Needle{text: escaped[1 : len(escaped)-1]}
}

// Possible reports whether a row may contain the text. It is also true for a row with escapes that have another form.
func (n *Needle) Possible(row []byte) bool {
	if len(n.text) == 0 || bytes.Contains(n.folded(row), n.text) {
		return true
	}
	return bytes.Contains(row, []byte(`\u`)) || bytes.Contains(row, []byte(`\/`))
}

// folded returns a row as it is compared, which is valid until the next call.
func (n *Needle) folded(row []byte) []byte {
	n.buffer = append(n.buffer[:0], row...)
	for i, c := range n.buffer {
		switch {
		case c >= utf8.RuneSelf && bytes.IndexByte(n.text, '\\') >= 0:
			return n.text // other characters may be folded as those that JSON escapes
		case c >= utf8.RuneSelf:
			return []byte(words.Fold(string(row)))
		case c >= 'A' && c <= 'Z':
			n.buffer[i] = c + 'a' - 'A'
		}
	}
	return n.buffer
}
