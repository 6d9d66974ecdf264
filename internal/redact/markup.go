package redact

import "strings"

// element scans the beginning of an element, and records one with a sensitive name, whose text is a secret.
func (x *scan) element(i int) int {
	s := x.s
	j := i + 1
	if j == len(s) || sets[s[j]]&alnum == 0 || x.isBracketedText(j) {
		return j
	}
	from := j
	j = run(s, j, word)
	if j < len(s) && s[j] == ':' {
		from = j + 1
		j = run(s, from, word|dot)
	}
	name := s[from:j]
	if name == "input" {
		x.inputElement(j)
		return j
	}
	switch m := x.r.meaningOf(name); {
	case m.class == alwaysSecret || m.class == oftenSecret || m.class == secretIfRandom:
	case x.st.pair > 0 && (name == "string" || name == "value"):
	default:
		if name == "key" || name == "name" {
			x.keyElement(j)
		}
		return j
	}
	if k := strings.IndexByte(s[j:], '>'); k >= 0 && s[j+k-1] != '/' {
		x.elementText = j + k
	}
	return j
}

// inputElement records whether a form field is that of a secret, which may be named after its value.
func (x *scan) inputElement(i int) {
	x.st.pair = 0
	tag := x.s[i:min(len(x.s), i+1000)]
	tag, _, _ = strings.Cut(tag, ">")
	for _, attribute := range [...]string{" type=", " name=", " id="} {
		if _, value, ok := strings.Cut(tag, attribute); ok {
			value = strings.TrimLeft(value, "\\\"'")
			switch x.r.meaningOf(value[:run(value, 0, word|dot)]).class {
			case alwaysSecret, secretIfNumber, secretIfRandom:
				x.st.pair = 2
			}
		}
	}
}

// keyElement records that the text of an element is a sensitive name.
func (x *scan) keyElement(i int) {
	if i < len(x.s) && x.s[i] == '>' {
		if k := strings.IndexByte(x.s[i:min(len(x.s), i+100)], '<'); k > 0 && x.r.meaningOf(x.s[i+1:i+k]).class == alwaysSecret {
			x.st.pair = 2
		}
	}
}

// textOfElement removes the text of a recorded element if the element is closed after it.
func (x *scan) textOfElement(i int) int {
	if x.elementText != i {
		return i + 1
	}
	s := x.s
	i++
	if open := strings.LastIndexByte(s[:i], '<'); run(s, i, space) == len(s) && open >= 0 && (open == indent(s) || s[open-1] == '>') {
		x.awaitValue(meaning{class: alwaysSecret, kind: kindField}, inElement)
		return i
	}
	if strings.HasPrefix(s[i:], "<![CDATA[") {
		from := i + len("<![CDATA[")
		if k := strings.Index(s[from:], "]]>"); k >= 0 {
			x.remove(from, from+k, kindField)
			return from + k
		}
	}
	if k := strings.Index(s[i:], "<"); k > 0 && strings.HasPrefix(s[i+k:], "</") && strings.TrimSpace(s[i:i+k]) != "" {
		x.remove(i, i+k, kindField)
		return i + k
	}
	return i
}

// isBracketedText reports whether a '<' begins no element but a text in brackets: a link, a token, a header or an assignment.
func (x *scan) isBracketedText(i int) bool {
	s := x.s
	if end, _ := tokenEnd(s, i); end > i {
		return true
	}
	j := run(s, i, word)
	if at, end, _ := tokenWithin(s, i, j); end > at {
		return true
	}
	if j+1 >= len(s) {
		return false
	}
	switch s[j] {
	case '=':
		return true
	case ':':
		near := scan{s: s[:min(len(s), j+maxSentence)]}
		return sets[s[j+1]]&space != 0 || strings.HasPrefix(s[j:], "://") || looksSecret(near.s[j+1:near.bareEnd(j+1, false)])
	case ' ':
		return x.schemeEnd(i, j) > i
	}
	return false
}

// escapedElement removes the text of a sensitive element whose brackets are written as entities, from the one at i.
func (x *scan) escapedElement(i int) int {
	s := x.s
	i += len("&lt;")
	j := run(s, i, word)
	if !strings.HasPrefix(s[j:], "&gt;") || x.r.meaningOf(s[i:j]).class != alwaysSecret {
		return i
	}
	from := j + len("&gt;")
	if k := strings.Index(s[from:min(len(s), from+maxCommand)], "&lt;/"); k > 0 {
		x.removeUnlessPlaceholder(from, from+k, meaning{class: alwaysSecret, kind: kindField})
		return from + k
	}
	return i
}
