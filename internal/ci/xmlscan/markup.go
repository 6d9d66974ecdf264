package xmlscan

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// markup reads from a < on. It returns false for what is no token: comments, declarations, instructions, and the
// begin of a CDATA section. A < that begins no markup is text.
func (s *Scanner) markup() (Token, bool, error) {
	head, err := s.in.Peek(len("<![CDATA["))
	if len(head) < 2 {
		if err == nil || errors.Is(err, io.EOF) {
			err = s.errorf("the document ends within a tag")
		}
		return Token{}, false, err
	}
	switch next := head[1]; {
	case bytes.HasPrefix(head, []byte("<!--")):
		return Token{}, false, s.skip(len("<!--"), "-->", "a comment")
	case bytes.Equal(head, []byte("<![CDATA[")):
		s.section = len(s.open) > 0
		if !s.section {
			return Token{}, false, s.errorf("a CDATA section stands outside of an element")
		}
		_, err := s.in.Discard(len(head))
		return Token{}, false, err
	case next == '?':
		return Token{}, false, s.skip(len("<?"), "?>", "an instruction")
	case next == '!':
		return Token{}, false, s.declaration()
	case next == '/':
		t, err := s.endTag()
		return t, err == nil, err
	case isNameStart(next):
		t, err := s.startTag()
		return t, err == nil, err
	}
	if _, err := s.in.Discard(1); err != nil {
		return Token{}, false, err
	}
	s.text = append(s.text[:0], '<')
	return Token{Kind: Text, Text: s.text, Line: s.line}, true, nil
}

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
}

// skip passes over markup from its begin to its end.
func (s *Scanner) skip(begin int, end, what string) error {
	if _, err := s.in.Discard(begin); err != nil {
		return err
	}
	var last []byte
	for string(last) != end {
		c, err := s.next(what)
		if err != nil {
			return err
		}
		if len(last) == len(end) {
			last = append(last[:0], last[1:]...)
		}
		last = append(last, c)
	}
	return nil
}

// declaration passes over a declaration of a document type. It refuses one with a subset, which may declare entities.
func (s *Scanner) declaration() error {
	if _, err := s.in.Discard(len("<!")); err != nil {
		return err
	}
	quote := byte(0)
	for range maxTag {
		c, err := s.next("a declaration")
		switch {
		case err != nil:
			return err
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			return s.errorf("the document declares entities or elements of its own, which are not read")
		case c == '>':
			return nil
		}
	}
	return s.errorf("a declaration is longer than %d bytes", maxTag)
}

// next returns a byte of markup.
func (s *Scanner) next(what string) (byte, error) {
	c, err := s.in.ReadByte()
	if err == io.EOF {
		return 0, s.errorf("the document ends within %s", what)
	}
	if c == '\n' {
		s.line++
	}
	return c, err
}

func (s *Scanner) endTag() (Token, error) {
	if _, err := s.in.Discard(len("</")); err != nil {
		return Token{}, err
	}
	name := s.tag[:0]
	for {
		c, err := s.next("an end tag")
		if err != nil {
			return Token{}, err
		}
		if c == '>' {
			break
		}
		if name = append(name, c); len(name) > maxName {
			return Token{}, s.errorf("an end tag is longer than %d bytes", maxName)
		}
	}
	s.tag = name
	return s.close(local(string(bytes.TrimRight(name, space))))
}

const space = " \t\r\n"

// local returns a name without the prefix of its namespace.
func local(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// close returns the end of the innermost element, which must have the name.
func (s *Scanner) close(name string) (Token, error) {
	switch {
	case len(s.open) == 0:
		return Token{}, s.errorf("</%s> ends no element", name)
	case s.open[len(s.open)-1] != name:
		return Token{}, s.errorf("</%s> ends %s", name, s.place())
	}
	s.open = s.open[:len(s.open)-1]
	return Token{Kind: End, Name: name, Line: s.line}, nil
}

// startTag returns a start tag, whose < comes next.
func (s *Scanner) startTag() (Token, error) {
	line := s.line
	if err := s.readTag(); err != nil {
		return Token{}, err
	}
	body := bytes.TrimRight(s.tag, space)
	if bytes.HasSuffix(body, []byte("/")) {
		s.ending = true
		body = body[:len(body)-1]
	}
	end := bytes.IndexAny(body, space)
	if end < 0 {
		end = len(body)
	}
	if end > maxName {
		return Token{}, s.errorf("a name is longer than %d bytes", maxName)
	}
	name := local(string(body[:end]))
	if err := s.attributes(body[end:], name); err != nil {
		return Token{}, err
	}
	if len(s.open) >= maxDepth {
		return Token{}, s.errorf("more than %d elements are within each other", maxDepth)
	}
	s.open, s.began = append(s.open, name), true
	return Token{Kind: Start, Name: name, Attrs: s.attrs, Line: line}, nil
}

// readTag reads a tag without its < and >. Of a long value it keeps the begin.
func (s *Scanner) readTag() error {
	if _, err := s.in.Discard(1); err != nil {
		return err
	}
	s.tag = s.tag[:0]
	quote, value := byte(0), 0
	for {
		c, err := s.next("a tag")
		switch {
		case err != nil:
			return err
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			if value++; value > maxValue {
				continue
			}
		case c == '>':
			return nil
		case c == '<':
			return s.errorf("a < is within a tag")
		case c == '"' || c == '\'':
			quote, value = c, 0
		}
		if s.tag = append(s.tag, c); len(s.tag) > maxTag {
			return s.errorf("a tag is longer than %d bytes", maxTag)
		}
	}
}

// attributes reads the attributes of a tag into s.attrs.
func (s *Scanner) attributes(b []byte, element string) error {
	s.attrs = s.attrs[:0]
	for {
		b = bytes.TrimLeft(b, space)
		if len(b) == 0 {
			return nil
		}
		equals := bytes.IndexByte(b, '=')
		if equals < 0 {
			return s.errorf("an attribute of <%s> has no value", element)
		}
		name := string(bytes.TrimRight(b[:equals], space))
		b = bytes.TrimLeft(b[equals+1:], space)
		if len(b) == 0 || b[0] != '"' && b[0] != '\'' {
			return s.errorf("the value of an attribute of <%s> is not in quotes", element)
		}
		end := bytes.IndexByte(b[1:], b[0])
		if end < 0 || name == "" || len(name) > maxName || strings.ContainsAny(name, space) {
			return s.errorf("an attribute of <%s> is broken", element)
		}
		s.attrs = append(s.attrs, Attr{local(name), string(appendText(nil, b[1:1+end], true))})
		b = b[end+2:]
	}
}
