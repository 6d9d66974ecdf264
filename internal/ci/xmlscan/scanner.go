// Package xmlscan reads the XML that test runners write, in a stream and in bounded memory.
//
// A Scanner returns start tags, end tags and chunks of text. However large a document is, it holds one tag and one
// chunk. It reads on where runners break the rules without losing the structure: control characters become their
// Unicode pictures (␛), bytes that are not of the encoding become U+FFFD, and an & or < that begins nothing is text.
//
// It refuses declarations of entities, so that no document refers to a file, an address or itself; tags that do not
// match; a document that ends early; and tags, names and nesting beyond its limits. The error says the line.
//
// The decoder of encoding/xml is not used because it holds a whole text in memory, a log of 200 MB as well, and refuses
// control characters, which tests print. What that decoder reads, a Scanner reads alike (FuzzScanner).
package xmlscan

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	maxChunk = 64 << 10 // bytes of a chunk of text, apart from the end of a read
	maxValue = 1 << 20  // bytes of a value of an attribute; the rest is left out
	maxTag   = 4 << 20  // bytes of a tag
	maxName  = 1 << 10
	maxDepth = 200 // elements within each other
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. An empty element is a Start and an End.
const (
	Start Kind = iota + 1
	End
	Text
)

// Token is a part of a document. Its attributes and its text are valid until the next one is read.
type Token struct {
	Kind  Kind
	Name  string // of a tag, without the prefix of its namespace
	Attrs []Attr
	Text  []byte
	Line  int // where it begins
}

// Attr returns the value of an attribute, or "" when the tag lacks it.
func (t *Token) Attr(name string) string {
	for _, a := range t.Attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Attr is an attribute. Its name lacks the prefix of its namespace.
type Attr struct{ Name, Value string }

// Error is the reason why a document is not read further.
type Error struct {
	Line   int
	Reason string
}

// Error returns the line and the reason.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Scanner reads a document.
type Scanner struct {
	in      *bufio.Reader
	line    int
	open    []string // the names of the open elements
	buffer  []byte   // of text that was read and not returned
	text    []byte   // the text of the last token
	tag     []byte
	attrs   []Attr
	ending  bool // the last token was the start of an empty element
	section bool // within a CDATA section
	began   bool // an element has begun
}

// New returns a scanner of a document in UTF-8, UTF-16, or an encoding of one byte that its declaration names. The
// error names the encoding that is not read.
func New(r io.Reader) (*Scanner, error) {
	decoded, err := decode(r)
	if err != nil {
		return nil, err
	}
	return &Scanner{in: bufio.NewReaderSize(decoded, maxChunk), line: 1}, nil
}

// Depth is the number of open elements, that of the last start tag included.
func (s *Scanner) Depth() int { return len(s.open) }

// Next returns the next token, or io.EOF after the end of a whole document. Every other error is an *Error or that of
// the reader.
func (s *Scanner) Next() (Token, error) {
	if s.ending {
		s.ending = false
		return s.close(s.open[len(s.open)-1])
	}
	for {
		if s.section {
			if t, ok, err := s.cdata(); ok || err != nil {
				return t, err
			}
			continue
		}
		if t, ok, err := s.characters(); ok || err != nil {
			return t, err
		}
		t, ok, err := s.markup()
		if ok || err != nil {
			return t, err
		}
	}
}

// characters returns the text before the next markup. Without any it returns false.
func (s *Scanner) characters() (Token, bool, error) {
	line := s.line
	for {
		part, err := s.in.ReadSlice('<')
		if err == nil {
			part = part[:len(part)-1]
			if unreadErr := s.in.UnreadByte(); unreadErr != nil {
				return Token{}, false, unreadErr
			}
		}
		s.line += bytes.Count(part, newline)
		s.buffer = append(s.buffer, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if keep := unfinished(s.buffer); keep < len(s.buffer) {
				return s.textToken(keep, line, true), true, nil
			}
		case err == io.EOF && len(s.buffer) == 0:
			return Token{}, false, s.ended()
		case err != nil && err != io.EOF:
			return Token{}, false, err
		case len(s.buffer) == 0:
			return Token{}, false, nil
		default:
			return s.textToken(0, line, true), true, nil
		}
	}
}

var newline = []byte{'\n'}

// unfinished returns the length of the reference at the end of a text that may go on, as a number of bytes to keep.
func unfinished(b []byte) int {
	tail := b[max(0, len(b)-maxReference):]
	i := bytes.LastIndexByte(tail, '&')
	if i < 0 || bytes.IndexByte(tail[i:], ';') >= 0 {
		return 0
	}
	return len(tail) - i
}

// textToken returns the buffer apart from its last bytes as a token, and keeps those.
func (s *Scanner) textToken(keep, line int, references bool) Token {
	whole := s.buffer[:len(s.buffer)-keep]
	s.text = appendText(s.text[:0], whole, references)
	s.buffer = append(s.buffer[:0], s.buffer[len(s.buffer)-keep:]...)
	return Token{Kind: Text, Text: s.text, Line: line}
}

var endOfSection = []byte("]]>")

// cdata returns text of a CDATA section, and false at its end when nothing is left.
func (s *Scanner) cdata() (Token, bool, error) {
	line := s.line
	for {
		part, err := s.in.ReadSlice('>')
		s.line += bytes.Count(part, newline)
		s.buffer = append(s.buffer, part...)
		switch {
		case bytes.HasSuffix(s.buffer, endOfSection):
			s.section = false
			s.buffer = s.buffer[:len(s.buffer)-len(endOfSection)]
			if len(s.buffer) == 0 {
				return Token{}, false, nil
			}
			return s.textToken(0, line, false), true, nil
		case err == io.EOF:
			return Token{}, false, s.errorf("the document ends within a CDATA section of %s", s.place())
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return Token{}, false, err
		case len(s.buffer) >= maxChunk:
			return s.textToken(len(endOfSection)-1, line, false), true, nil
		}
	}
}

// ended returns the error at the end of the input: io.EOF after a whole document.
func (s *Scanner) ended() error {
	switch {
	case len(s.open) > 0:
		return s.errorf("the document ends within %s", s.place())
	case !s.began:
		return s.errorf("the document has no element")
	}
	return io.EOF
}

func (s *Scanner) place() string { return "<" + s.open[len(s.open)-1] + ">" }

func (s *Scanner) errorf(format string, args ...any) error {
	return &Error{Line: s.line, Reason: fmt.Sprintf(format, args...)}
}
