package evidence

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Needle is a text that is searched for in kept rows before they are decoded, whatever its case.
// One is used by one goroutine.
type Needle struct {
	text []byte // as it stands in JSON, in lower case; nil when it may stand there in several ways
	low  []byte
}

// NewNeedle returns a Needle for a text.
func NewNeedle(text string) *Needle {
	escaped, err := marshal(strings.ToLower(text))
	if err != nil || bytes.Contains(escaped, []byte(`\u`)) {
		return &Needle{}
	}
	return &Needle{text: escaped[1 : len(escaped)-1]}
}

// Possible says whether a row may have a string with the text; when it is false, none has. A row with
// escapes that could be written otherwise may.
func (n *Needle) Possible(row []byte) bool {
	if len(n.text) == 0 || bytes.Contains(n.lower(row), n.text) {
		return true
	}
	return bytes.Contains(row, []byte(`\u`)) || bytes.Contains(row, []byte(`\/`))
}

// lower returns a row in lower case, which is there until the next call.
func (n *Needle) lower(row []byte) []byte {
	n.low = append(n.low[:0], row...)
	for i, c := range n.low {
		switch {
		case c >= utf8.RuneSelf:
			return bytes.ToLower(row)
		case c >= 'A' && c <= 'Z':
			n.low[i] = c + 'a' - 'A'
		}
	}
	return n.low
}
