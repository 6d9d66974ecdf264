package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// element scans the beginning of an element, and records one with a sensitive name, whose text is a secret.
func (x *Scanner) element(i int) int {
	s := x.s
	j := i + 1
	if j == len(s) || !lex.In(s[j], lex.Alnum) || x.isBracketedText(j) {
		return j
	}
	from := j
	j = lex.Run(s, j, lex.Word|lex.Dot)
	if j < len(s) && s[j] == ':' {
		from = j + 1
		j = lex.Run(s, from, lex.Word|lex.Dot)
	}
	name := s[from:j]
	if name == "input" {
		x.inputElement(j)
		return j
	}
	switch m := x.Set.Meaning(name); {
	case m.IsSecret():
	case x.st.pair > 0 && (name == "string" || name == "value"):
	default:
		if name == "key" || name == "name" {
			x.keyElement(j)
		}
		return j
	}
	if k := strings.IndexByte(s[j:], '>'); k >= 0 && s[j+k-1] != '/' {
		if name == "key" || name == "name" {
			x.keyElement(j)
		}
		x.elementText = j + k
	}
	return j
}

// inputElement records whether a form field is that of a secret, which may be named after its value.
func (x *Scanner) inputElement(i int) {
	x.st.pair = 0
	tag := x.s[i:min(len(x.s), i+1000)]
	tag, _, _ = strings.Cut(tag, ">")
	for _, attribute := range [...]string{" type=", " name=", " id="} {
		if _, value, ok := strings.Cut(tag, attribute); ok {
			value = strings.TrimLeft(value, "\\\"'")
			switch x.Set.Meaning(value[:lex.Run(value, 0, lex.Word|lex.Dot)]).Class {
			case decide.Always, decide.IfNumber, decide.IfRandom:
				x.st.pair = 2
			}
		}
	}
}

// keyElement records that the text of an element is a sensitive name.
func (x *Scanner) keyElement(i int) {
	if i < len(x.s) && x.s[i] == '>' {
		if k := strings.IndexByte(x.s[i:min(len(x.s), i+100)], '<'); k > 0 &&
			x.Set.Meaning(x.s[i+1:i+k]).Class == decide.Always {
			x.st.pair = 2
		}
	}
}

// textOfElement removes the text of a recorded element if the element is closed after it.
func (x *Scanner) textOfElement(i int) int {
	if x.elementText != i {
		return i + 1
	}
	s := x.s
	i++
	open := strings.LastIndexByte(s[:i], '<')
	name := s[open+1 : open+1+lex.Run(s[open+1:], 0, lex.Word|lex.Dot)]
	m := x.Set.Meaning(name)
	if !m.IsSecret() {
		m = decide.Element
	}
	if m.IsCertain() && blanksEnd(s, i) == len(s) && open >= 0 && (open == lex.Indent(s) || s[open-1] == '>') {
		x.awaitValue(decide.Element, inElement)
		return i
	}
	if strings.HasPrefix(s[i:], "<![CDATA[") {
		from := i + len("<![CDATA[")
		if k := strings.Index(s[from:], "]]>"); k >= 0 {
			x.removeText(from, from+k, m, decide.Stated)
			return from + k
		}
	}
	if k := strings.Index(s[i:], "<"); k > 0 && strings.HasPrefix(s[i+k:], "</") && strings.TrimSpace(s[i:i+k]) != "" {
		x.removeText(i, i+k, m, elementContext(m, s[i:i+k]))
		return i + k
	}
	return i
}

// elementContext returns the context of the text of an element: pages have labels in elements of any name.
func elementContext(m decide.Meaning, text string) decide.Context {
	if m.Class == decide.Often && strings.Contains(text, " ") {
		return decide.Member
	}
	return decide.Stated
}

// isBracketedText reports whether a '<' begins no element but a text in brackets: a link, a token, a header or an
// assignment.
func (x *Scanner) isBracketedText(i int) bool {
	s := x.s
	if end, _ := x.Set.Token(s, i); end > i {
		return true
	}
	j := lex.Run(s, i, lex.Word)
	if at, end, _ := x.Set.TokenWithin(s, i, j); end > at {
		return true
	}
	if j+1 >= len(s) {
		return false
	}
	switch s[j] {
	case '=':
		return true
	case ':':
		near := s[:min(len(s), j+decide.MaxSentence)]
		return lex.In(s[j+1], lex.Space) || strings.HasPrefix(s[j:], "://") ||
			decide.LooksSecret(near[j+1:bareEnd(near, j+1, false)])
	case ' ':
		return schemeEnd(s, i, j) > i
	}
	return false
}

// escapedElement removes the text of a sensitive element whose brackets are written as entities, from the one at i.
func (x *Scanner) escapedElement(i int) int {
	s := x.s
	i += len("&lt;")
	j := lex.Run(s, i, lex.Word)
	if !strings.HasPrefix(s[j:], "&gt;") || x.Set.Meaning(s[i:j]).Class != decide.Always {
		return i
	}
	from := j + len("&gt;")
	if k := strings.Index(s[from:min(len(s), from+maxCommand)], "&lt;/"); k > 0 {
		x.removeUnlessPlaceholder(from, from+k, decide.Element)
		return from + k
	}
	return i
}
