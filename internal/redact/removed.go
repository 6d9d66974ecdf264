package redact

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// maxRemoved bounds the number of recorded values, and minRemoved the bytes of each.
const (
	maxRemoved = 100
	minRemoved = 8
)

// removed records the values that were removed from a report, so that they are removed from its other texts, too. It
// records only values that no text would have by chance.
type removed struct {
	values []removedValue
	starts *[1 << 16 / 64]uint64 // the pairs of bytes with which they begin
}

type removedValue struct {
	text     string
	rule     *decide.Rule
	anywhere bool // also within a word
}

// add records a value that was removed.
func (m *removed) add(text string, rule *decide.Rule) {
	text = strings.TrimRight(text, ".,;:")
	if m == nil || len(m.values) == maxRemoved || len(text) < minRemoved || len(text) > 2000 || rule.Sort == "pattern" {
		return
	}
	shape := decide.ShapeOf(text)
	switch {
	case shape < decide.Mixed, strings.ContainsAny(text, "\"\\\n"):
		return
	case strings.Contains(text, lex.MarkerPrefix) || strings.Contains(text, lex.URLMarker):
		return
	case rule.Kind == decide.KindCookie && shape < decide.Hex:
		return
	}
	for _, v := range m.values {
		if v.text == text {
			return
		}
	}
	if m.starts == nil {
		m.starts = &[1 << 16 / 64]uint64{}
	}
	m.values = append(m.values, removedValue{text: text, rule: rule, anywhere: shape >= decide.UUID})
	n := int(text[0])<<8 | int(text[1])
	m.starts[n/64] |= 1 << (n % 64)
}

// replace replaces each recorded value in a text by the result of marker. inURL is whether the value is in a URL.
func (m *removed) replace(s string, marker func(v *removedValue, inURL bool) string) string {
	if m == nil || len(m.values) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for i := 0; i+minRemoved <= len(s); i++ {
		n := int(s[i])<<8 | int(s[i+1])
		if m.starts[n/64]&(1<<(n%64)) == 0 {
			continue
		}
		v := m.valueAt(s, i)
		if v == nil {
			continue
		}
		b.WriteString(s[at:i])
		b.WriteString(marker(v, isInURL(s, i)))
		at = i + len(v.text)
		i = at - 1
	}
	if at == 0 {
		return s
	}
	b.WriteString(s[at:])
	return b.String()
}

// valueAt returns the recorded value that begins at i, or nil.
func (m *removed) valueAt(s string, i int) *removedValue {
	for k := range m.values {
		v := &m.values[k]
		if !strings.HasPrefix(s[i:], v.text) {
			continue
		}
		end := i + len(v.text)
		inWord := i > 0 && lex.In(s[i-1], lex.Alnum) || end < len(s) && lex.In(s[end], lex.Alnum)
		if v.anywhere || !inWord {
			return v
		}
	}
	return nil
}

// Removed returns the values that were removed from the texts of a report and that no text has by chance.
func (r *Redactor) Removed() (values []string) {
	if r.removed != nil {
		for _, v := range r.removed.values {
			values = append(values, v.text)
		}
	}
	return values
}

// repeated is the rule of a value that was removed from another text of the report some time ago.
var repeated = &decide.Rule{Sort: "repeated", ID: "repeated", Kind: "repeated"}

const (
	maxWords = 2000 // of a text that are asked for
	between  = " \t\r\n\"'`<>()[]{},;"
	within   = "=:&?/@|#"
)

// RemoveKnown removes from a text the words that isKnown knows, and the parts of a word between signs. It asks for at most
// maxWords, and for none that a text may have by chance.
func (r *Redactor) RemoveKnown(s string, isKnown func(word string) bool, c Counts) string {
	var b strings.Builder
	at, asked := 0, 0
	remove := func(from, to int) bool {
		word := strings.TrimRight(s[from:to], ".:!?")
		if len(word) < minRemoved || asked == maxWords || decide.ShapeOf(word) < decide.Mixed {
			return false
		}
		if asked++; !isKnown(word) {
			return false
		}
		c.count(repeated, word)
		b.WriteString(s[at:from])
		b.WriteString(r.mark(repeated, isInURL(s, from)))
		at = from + len(word)
		return true
	}
	eachPart(s, 0, len(s), between, func(from, to int) {
		if !remove(from, to) {
			eachPart(s, from, to, within, func(from, to int) { remove(from, to) })
		}
	})
	if at == 0 {
		return s
	}
	return b.String() + s[at:]
}

// eachPart calls a function with each part of a text from start to end that has none of the signs.
func eachPart(s string, start, end int, signs string, call func(from, to int)) {
	for at := start; at < end; {
		n := strings.IndexAny(s[at:end], signs)
		if n < 0 {
			call(at, end)
			return
		}
		if n > 0 {
			call(at, at+n)
		}
		at += n + 1
	}
}

// isInURL reports whether the byte at i is in a URL.
func isInURL(s string, i int) bool {
	from := max(0, i-300)
	word := s[from+strings.LastIndexAny(s[from:i], " \t\n\"'<>(")+1 : i]
	return strings.Contains(word, "://") || strings.HasPrefix(word, "/") && strings.Contains(word, "?")
}
