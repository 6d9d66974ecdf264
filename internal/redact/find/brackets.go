package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// items are the items of a list or an object that is the value of a name.
type items struct {
	x    *Scanner
	u    continuation
	key  decide.Meaning // of the name of the member
	from int            // where an item without quotes begins; -1 for none
	edge int            // where the last item begins
}

// removeInBrackets removes the secrets from i to the end of a list or an object, of which u.depth brackets are open
// at i, in JSON also on later lines. It returns where to continue.
func (x *Scanner) removeInBrackets(i int, u continuation) int {
	t := items{x: x, u: u, from: -1, edge: i}
	for i < len(x.s) {
		next, closed := t.next(i)
		if closed {
			return next
		}
		i = next
	}
	t.flush(i)
	s := x.s
	named := x.from > 0 && x.to < len(s) && lex.In(s[x.to], lex.Quote) && lex.In(s[x.from-1], lex.Quote)
	if x.Continues || x.to < 0 || named && blanksEnd(s, t.edge) == len(s) {
		x.st.continuation, x.ItemStart = &t.u, t.edge
	}
	return i
}

// next reads what is at i, and returns where it ends, and whether the last bracket is closed.
func (t *items) next(i int) (end int, closed bool) {
	s := t.x.s
	if end := lex.MarkerEnd(s, i); end > i {
		t.flush(i)
		return end, false
	}
	if from, to, next, ok := lex.Quoted(s, i); ok {
		t.flush(i)
		t.quoted(from, to, next)
		return next, false
	}
	switch c := s[i]; c {
	case '[', '{', '(':
		t.flush(i)
		if t.u.depth++; c == '{' {
			t.u.names |= 1 << min(t.u.depth, 63)
		}
		t.edge = i + 1
	case ']', '}', ')':
		t.flush(i)
		t.u.names &^= 1 << min(t.u.depth, 63)
		if t.u.depth--; t.u.depth <= 0 {
			return i + 1, true
		}
		t.edge, t.key = i+1, decide.Meaning{}
	case ',', ';':
		t.flush(i)
		t.edge, t.key = i+1, decide.Meaning{}
	case ':', '=':
		t.separator(i)
	default:
		if t.from < 0 && !lex.In(c, lex.Space) && c != '\\' {
			t.from = i
		}
	}
	return i + 1, false
}

// quoted reads a text in quotes: a name, or a value.
func (t *items) quoted(from, to, next int) {
	s := t.x.s
	if after := blanksEnd(s, next); after < len(s) && s[after] == ':' {
		t.name(s[from:to])
		return
	}
	m, in := t.meaning()
	t.x.removeText(from, to, m, in)
}

// separator reads an equals sign or a colon: the text before it is a name.
func (t *items) separator(i int) {
	s := t.x.s
	if i+1 < len(s) && strings.IndexByte("=,;]})", s[i+1]) < 0 &&
		(t.from < 0 || lex.Run(s, t.from, lex.Word|lex.Dot|lex.Space) == i) {
		if t.from >= 0 {
			t.name(s[t.from:i])
		}
		t.from = -1
	} else if t.from < 0 {
		t.from = i
	}
}

func (t *items) name(name string) { t.key = MemberMeaning(t.x.Set, name, t.u.m) }

// MemberMeaning returns the meaning of a member of an object that has a meaning: its own, that of the object for a
// member that is just its value, and otherwise none.
func MemberMeaning(set *decide.Set, name string, object decide.Meaning) decide.Meaning {
	if m := set.Meaning(name); m.IsSecret() && m.Class != decide.IfKey {
		return m
	}
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "value", "current", "raw", "plain", "plaintext":
		return object
	}
	return decide.Meaning{}
}

// meaning returns the meaning of the next value, and how certain it is that it belongs to the name.
func (t *items) meaning() (decide.Meaning, decide.Context) {
	switch {
	case t.key.IsSecret():
		return t.key, decide.Member
	case t.u.names == 0:
		return t.u.m, decide.Member
	}
	return t.u.m, t.u.m.Within()
}

// flush removes the item without quotes that ends at i.
func (t *items) flush(i int) {
	if t.from >= 0 {
		text := strings.TrimRight(t.x.s[t.from:i], " \t")
		m, in := t.meaning()
		if t.x.Set.Removes(decide.Value{Meaning: m, Context: in, Text: text, Near: text}) {
			t.x.remove(t.from, t.from+len(text), m)
		}
		t.from = -1
	}
}
