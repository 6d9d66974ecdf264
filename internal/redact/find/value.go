package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// removeValue removes the value that begins at v and returns where to continue. A whole value may have blanks.
func (x *Scanner) removeValue(v int, m decide.Meaning, in decide.Context, whole bool) int {
	s := x.s
	v = skipBold(s, v)
	if v >= len(s) {
		return v
	}
	if triple := s[v:min(len(s), v+3)]; triple == `"""` || triple == "'''" {
		return x.removeTripleQuoted(v+3, triple, m)
	}
	if from, to, next, ok := lex.Quoted(s, v); ok {
		if from+1 < to || to > from && lex.In(s[from], lex.Alnum) {
			x.removeText(from, to, m, quotedContext(in))
		}
		return next
	}
	end := v + decide.TemplateEnd(s[v:])
	if end > v && s[v] == '<' && strings.Contains(s[end:], "</"+s[v+1:end-1]+">") { // <b>
		return x.removeValue(end, m, in, false)
	}
	if c := s[v]; (c == '[' || c == '{' || c == '(') && end == v && !isCast(s[v:]) {
		return x.removeBracketed(v, m, in)
	}
	if whole && isBlockScalar(s[v:]) {
		x.st.block = lex.Indent(s) + 1
		return len(s)
	}
	return x.removeBare(v, m, in, whole)
}

// removeBracketed removes the secrets in the list or the object at v.
func (x *Scanner) removeBracketed(v int, m decide.Meaning, in decide.Context) int {
	s := x.s
	if end := lex.Run(s, v+1, lex.Base64|lex.Dot); m.Class == decide.IfKey && end < len(s) && s[end] == s[v]+2 {
		x.removeText(v+1, end, m, in)
		return end
	}
	if !m.IsCertain() || m.Scalar {
		return v
	}
	return x.removeInBrackets(v, continuation{m: m, form: inJSON, indent: lex.Indent(s), lines: 10 * maxBelow})
}

// isCast reports whether a text begins with a cast of C to a pointer.
func isCast(s string) bool {
	k := strings.IndexByte(s, ')')
	return s[0] == '(' && k > 1 && s[k-1] == '*'
}

// quotedContext returns the context of a value in quotes.
func quotedContext(in decide.Context) decide.Context {
	switch in {
	case decide.Colon, decide.Cell, decide.Setting:
		return decide.Member
	case decide.Sign:
		return decide.Stated
	}
	return in
}

// removeText removes s[from:to] if it is a secret as a value of a name.
func (x *Scanner) removeText(from, to int, m decide.Meaning, in decide.Context) bool {
	if from >= to {
		return false
	}
	text := x.s[from:to]
	if m.Kind() == decide.KindAuthorization {
		if name, rest, ok := strings.Cut(text, " "); ok && decide.IsScheme(name) && lex.IsMarker(rest) {
			return false
		}
	}
	if !x.Set.Removes(decide.Value{Meaning: m, Context: in, Text: text}) {
		return false
	}
	x.remove(from, to, m)
	return true
}

// removeBare removes the value without quotes at v.
func (x *Scanner) removeBare(v int, m decide.Meaning, in decide.Context, whole bool) int {
	s := x.s
	end := bareEnd(s, v, whole)
	if whole && in == decide.Colon {
		in = decide.Setting
	}
	if whole && m.Class == decide.Often && in < decide.Sign && strings.IndexByte(s[v:end], ' ') >= 0 {
		in, end = decide.Colon, bareEnd(s, v, false)
	}
	if end == v {
		return v
	}
	shape, removes := x.Set.Decide(decide.Value{Meaning: m, Context: in, Text: s[v:end], Near: s[v:min(len(s), v+200)],
		Tight: v > 0 && s[v-1] == '=', Capitals: x.isInCapitals()})
	switch {
	case removes:
		x.remove(v, end, m)
		return end
	case shape <= decide.State:
		return min(end, v+1)
	}
	return v
}

// isInCapitals reports whether the name has no letter in lower case.
func (x *Scanner) isInCapitals() bool {
	return x.to >= 0 && strings.ToUpper(x.s[x.from:x.to]) == x.s[x.from:x.to]
}

// removeTripleQuoted removes the text between triple quotes, also on the following lines.
func (x *Scanner) removeTripleQuoted(from int, quotes string, m decide.Meaning) int {
	s := x.s
	end := len(s)
	if k := strings.Index(s[from:], quotes); k >= 0 {
		end = from + k
	} else {
		x.awaitValue(m, inQuotes)
		if x.st.continuation != nil {
			x.st.continuation.quote = quotes
		}
	}
	x.removeUnlessPlaceholder(from, end, m)
	return min(len(s), end+3)
}
