package redact

import "strings"

// tag looks at the beginning of an element whose name tells that its text goes.
func (x *scan) tag(i int) int {
	s := x.s
	j := i + 1
	if j == len(s) || sets[s[j]]&alnum == 0 || x.wrapped(j) {
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
		x.input(j)
		return j
	}
	switch m := x.r.name(name); {
	case m.class == sure || m.class == loose || m.class == opaque:
	case x.st.pair > 0 && (name == "string" || name == "value"):
	default:
		if name == "key" || name == "name" {
			x.keyElement(j)
		}
		return j
	}
	if k := strings.IndexByte(s[j:], '>'); k >= 0 && s[j+k-1] != '/' {
		x.element = j + k
	}
	return j
}

// input remembers whether a field is one of a secret, which may be said after its value.
func (x *scan) input(i int) {
	x.st.pair = 0
	tag := x.s[i:min(len(x.s), i+1000)]
	tag, _, _ = strings.Cut(tag, ">")
	for _, attribute := range [...]string{" type=", " name=", " id="} {
		if _, value, ok := strings.Cut(tag, attribute); ok {
			value = strings.TrimLeft(value, "\\\"'")
			if m := x.r.name(value[:run(value, 0, word|dot)]); m.class == sure || m.class == digits || m.class == opaque {
				x.st.pair = 2
			}
		}
	}
}

// keyElement remembers that the text of an element is a telling name.
func (x *scan) keyElement(i int) {
	if i < len(x.s) && x.s[i] == '>' {
		if k := strings.IndexByte(x.s[i:min(len(x.s), i+100)], '<'); k > 0 && x.r.name(x.s[i+1:i+k]).class == sure {
			x.st.pair = 2
		}
	}
}

// text takes the text of an element that was noted, if the element is closed after it.
func (x *scan) text(i int) int {
	if x.element != i {
		return i + 1
	}
	s := x.s
	i++
	if open := strings.LastIndexByte(s[:i], '<'); run(s, i, space) == len(s) && open >= 0 && (open == indent(s) || s[open-1] == '>') {
		x.awaits(meaning{sure, kindField}, inElement)
		return i
	}
	if strings.HasPrefix(s[i:], "<![CDATA[") {
		from := i + len("<![CDATA[")
		if k := strings.Index(s[from:], "]]>"); k >= 0 {
			x.take(from, from+k, kindField)
			return from + k
		}
	}
	if k := strings.Index(s[i:], "<"); k > 0 && strings.HasPrefix(s[i+k:], "</") && strings.TrimSpace(s[i:i+k]) != "" {
		x.take(i, i+k, kindField)
		return i + k
	}
	return i
}

// wrapped says whether what stands behind a '<' is no element, but a text in brackets: a link, a token,
// a header or an assignment.
func (x *scan) wrapped(i int) bool {
	s := x.s
	if end, _ := known(s, i); end > i {
		return true
	}
	j := run(s, i, word)
	if at, end, _ := inside(s, i, j); end > at {
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
		return sets[s[j+1]]&space != 0 || strings.HasPrefix(s[j:], "://") || likely(near.s[j+1:near.bareEnd(j+1, false)])
	case ' ':
		return x.scheme(i, j) > i
	}
	return false
}

// byEntity is what the level of a quote is above that is written as an entity.
const byEntity = 1000

// entities are quotes as a page has them in its attributes, without what they begin with.
var entities = [...]string{"quot;", "#34;", "#034;", "#x22;", "apos;", "#39;", "#039;", "#x27;",
	"amp;quot;", "amp;#34;", "amp;#39;", "amp;apos;"}

// entity returns how long the entity is that stands for a quote at i, or 0.
func entity(s string, i int) int {
	if i+4 > len(s) || s[i] != '&' {
		return 0
	}
	switch s[i+1] | 0x20 {
	case 'q', 'a', '#':
	default:
		return 0
	}
	for _, name := range entities {
		if end := i + 1 + len(name); end <= len(s) && strings.EqualFold(s[i+1:end], name) {
			return end - i
		}
	}
	return 0
}

// escaped takes the text of a secret element whose brackets are written as entities, the first at i.
func (x *scan) escaped(i int) int {
	s := x.s
	i += len("&lt;")
	j := run(s, i, word)
	if !strings.HasPrefix(s[j:], "&gt;") || x.r.name(s[i:j]).class != sure {
		return i
	}
	from := j + len("&gt;")
	if k := strings.Index(s[from:min(len(s), from+maxCommand)], "&lt;/"); k > 0 {
		x.secret(from, from+k, meaning{sure, kindField})
		return from + k
	}
	return i
}
