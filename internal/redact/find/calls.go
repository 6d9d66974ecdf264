package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// wordBeforeQuote scans the word s[i:j] before a quote. When it ends a sensitive name that is the first argument of a
// setter, or the first item of a list of two within a list, the text after it is removed.
func (x *Scanner) wordBeforeQuote(i, j int) int {
	s := x.s
	v := nextListed(s, j)
	if v == j {
		return j
	}
	from := i
	for from > 0 && i-from < 80 && (lex.In(s[from-1], lex.Word|lex.Dot) || s[from-1] == '#') {
		from--
	}
	open := openBracket(s, from)
	if open < 0 || s[open] != '(' && s[open] != '[' && s[open] != '{' {
		return j
	}
	m := x.Set.Meaning(s[from:j])
	if !m.IsSecret() {
		return j
	}
	start, to, next, _ := lex.Quoted(s, v)
	if text := s[start:to]; decide.IsPlainWord(text) &&
		x.Set.Meaning(text).Class == decide.Always { // the text of a form
		return j
	}
	if s[open] == '(' && !x.Set.IsSetter(calledFunction(s, open)) || s[open] != '(' && !isPair(s, open, next) {
		return j
	}
	if m.Kind() == decide.KindAuthorization || m.Kind() == decide.KindCookie {
		x.removeCredentials(s[i:j], m, start, to)
		return next
	}
	return x.removeValue(v, m, decide.Stated, false)
}

// isPair reports whether a list of two, whose bracket is at open and whose second text ends before next, is within a
// list.
func isPair(s string, open, next int) bool {
	after := blanksEnd(s, next)
	if after == len(s) || s[after] != s[open]+2 {
		return false
	}
	before := strings.TrimRight(s[max(0, open-20):open], " \t")
	return s[open] == '{' || strings.HasSuffix(before, "[") || strings.HasSuffix(before, "],")
}

// openBracket returns the index of the bracket before the quote that opens a text at i, or -1.
func openBracket(s string, i int) int {
	i--
	if i < 0 || !lex.In(s[i], lex.Quote) {
		return -1
	}
	for i > 0 && s[i-1] == '\\' {
		i--
	}
	for i > 0 && lex.In(s[i-1], lex.Space) {
		i--
	}
	return i - 1
}

// calledFunction returns the name, in lower case, of the function whose bracket is at i.
func calledFunction(s string, i int) string {
	from := i
	for from > 0 && i-from < 80 && lex.In(s[from-1], lex.Word|lex.Dot) {
		from--
	}
	return strings.ToLower(s[from:i])
}

// call scans the function s[i:j] that is called with a text: one whose name says what it sets, or one that logs in.
func (x *Scanner) call(i, j int) int {
	s := x.s
	v := blanksEnd(s, j+1)
	if q, _ := lex.QuoteAt(s, v); q == 0 && (j-i < 3 || j-i > 30) {
		return j
	}
	name := s[i:j]
	lower := strings.ToLower(name)
	if n := x.Set.LoginArgument(lower); n > 0 &&
		(len(name) > 5 || n > 2 || i > 0 && (s[i-1] == '.' || strings.HasSuffix(s[:i], "auth="))) {
		return x.removeArgument(v, n, j, lower == "login")
	}
	if x.Set.IsTyper(lower) && i > 0 && s[i-1] == '.' {
		return x.typedText(i, v, j)
	}
	m := x.setterMeaning(i, name)
	if m.Class == decide.NotSecret {
		return j
	}
	from, to, next, ok := lex.Quoted(s, v)
	if !ok {
		return j
	}
	text := s[from:to]
	isSentence := strings.Contains(text, " ") && decide.ExtentOf(text, false) == decide.NoValue
	if decide.IsCommonWord(text) || isSentence || m.Class == decide.Often && !decide.LooksSecret(text) {
		return j
	}
	x.removeUnlessPlaceholder(from, to, m)
	return next
}

// wordBeforeComma scans the word s[i:j] before a comma. When it is a sensitive constant in a call that sets an
// option, the text after it is removed.
func (x *Scanner) wordBeforeComma(i, j int) int {
	s := x.s
	v := blanksEnd(s, j+1)
	if q, _ := lex.QuoteAt(s, v); q == 0 || j-i < 6 || strings.ToUpper(s[i:j]) != s[i:j] {
		return j
	}
	from := max(0, i-maxConstant)
	open := strings.LastIndexByte(s[from:i], '(')
	if open < 0 || strings.ContainsAny(s[from+open:i], ")\"'") {
		return j
	}
	name := calledFunction(s, from+open)
	if m := x.Set.Meaning(s[i:j]); m.Class == decide.Always &&
		(strings.HasSuffix(name, "setopt") || strings.HasSuffix(name, "option")) {
		return x.removeValue(v, m, decide.Stated, false)
	}
	return j
}

const maxConstant = 80 // bytes before a constant that are searched for the call

// setterMeaning returns the meaning of the value that a function sets, by the name after its verb, or by its whole
// name when it is a method.
func (x *Scanner) setterMeaning(i int, name string) decide.Meaning {
	if rest, ok := x.Set.WithoutVerb(name); ok {
		return x.secretMeaning(rest)
	}
	if i == 0 || x.s[i-1] != '.' || !x.Set.IsWholeName(name) {
		return decide.Meaning{}
	}
	return x.secretMeaning(name)
}

// secretMeaning returns the meaning of a name if it is that of a secret. The argument of a function named secret is
// often the name of a secret.
func (x *Scanner) secretMeaning(name string) decide.Meaning {
	m := x.Set.Meaning(name)
	switch {
	case m.Class != decide.Always && m.Class != decide.Often, m.Kind() == decide.KindAuthorization ||
		m.Kind() == decide.KindCookie:
		return decide.Meaning{}
	case strings.EqualFold(strings.Trim(name, "_"), "secret"):
		m.Class = decide.Often
	}
	return m
}

// typedText removes the text that is typed into the field of a secret, by the function at i whose first argument is
// at v.
func (x *Scanner) typedText(i, v, otherwise int) int {
	s := x.s
	from, to, next, ok := lex.Quoted(s, v)
	if !ok {
		return otherwise
	}
	if comma := blanksEnd(s, next); comma < len(s) && s[comma] == ',' {
		if to-from < 100 && FieldRule(x.Set, s[from:to]) != nil {
			return x.removeArgument(v, 2, otherwise, false)
		}
		return otherwise
	}
	of := s[max(0, i-100):i]
	if k := strings.LastIndexAny(of, "; \t"); k >= 0 && !strings.Contains(of[k:], "(") {
		k = strings.LastIndexByte(of, '(')
		of = of[max(k, 0):]
	}
	if strings.HasSuffix(of, ").") && FieldRule(x.Set, of) != nil {
		x.removeUnlessPlaceholder(from, to, decide.FormField)
		return next
	}
	return otherwise
}

// removeArgument removes the n-th argument of a call, the first of which is at v, if it is a text, and, when unsure,
// only if it looks like a secret.
func (x *Scanner) removeArgument(v, n, otherwise int, unsure bool) int {
	s := x.s[:min(len(x.s), v+maxCommand)]
	for v < len(s) && s[v] != ')' {
		from, to, next, ok := lex.Quoted(s, v)
		switch {
		case n == 1 && (!ok || unsure && !decide.LooksSecret(s[from:to])):
			return otherwise
		case n == 1:
			x.removeUnlessPlaceholder(from, to, decide.Login)
			return next
		case ok:
			v = next
		case s[v] == ',':
			n--
			v = blanksEnd(s, v+1)
		default:
			v++
		}
	}
	return otherwise
}
