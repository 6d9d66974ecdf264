package redact

import "strings"

// setters are ends of the names of functions that take a name and its value.
var setters = [...]string{"set", "setitem", "put", "append", "add", "header", "setproperty", "setenv", "putenv", "cookie",
	"setattribute", "field", "param",
	"define", "setdefault", "property", "environmentvariable", "config", "conf", "putstring", "setstring", "insert", "option",
	"fill", "sendkeys",
	"env", "environ.get", "getordefault", "store", "save", "set_var"}

// typers are names of functions that type a text into the field of a selector, or into the field that they are a method of.
var typers = map[string]bool{
	"type": true, "fill": true, "sendkeys": true, "send_keys": true, "setvalue": true, "entertext": true, "typetext": true,
}

// verbs begin the names of functions that set the thing that the rest of the name says.
var verbs = [...]string{"set", "with", "use", "add", "put"}

// logins are ends of the names of functions with a secret among their arguments, and the number of that argument.
var logins = map[string]int{
	"basicauth": 2, "httpbasicauth": 2, "httpdigestauth": 2, "basicauthentication": 2, "passwordauthentication": 2,
	"usernamepasswordcredentials": 2,
	"networkcredential":           2, "passwordcredential": 2,
	"auth": 2, "login": 2, "basic": 2, "getconnection": 3, "mysqli": 3, "mysqli_connect": 3, "mysql_connect": 3, "pdo": 3,
}

// wordBeforeQuote scans the word s[i:j] before a quote. When it ends a sensitive name that is the first argument of a setter, or the first
// item of a list of two within a list, the text after it is removed.
func (x *scan) wordBeforeQuote(i, j int) int {
	s := x.s
	level, v := quoteAt(s, j)
	if level == 0 {
		return j
	}
	if v = run(s, v, space); v == len(s) || s[v] != ',' {
		return j
	}
	from := i
	for from > 0 && i-from < 80 && (sets[s[from-1]]&(word|dot) != 0 || s[from-1] == '#') {
		from--
	}
	open := openBracket(s, from)
	if open < 0 || s[open] != '(' && s[open] != '[' {
		return j
	}
	m := x.r.meaningOf(s[from:j])
	if m.class != alwaysSecret && m.class != oftenSecret && m.class != secretIfRandom {
		return j
	}
	v = run(s, v+1, space)
	q, start := quoteAt(s, v)
	if q == 0 {
		return j
	}
	to, next := quoteEnd(s, v, q, start)
	if text := s[start:to]; isPlainWord(text) && x.r.meaningOf(text).class == alwaysSecret { // the text of a form
		return j
	}
	switch after := run(s, next, space); {
	case s[open] == '[':
		before := strings.TrimRight(s[max(0, open-20):open], " \t")
		if after == len(s) || s[after] != ']' || !strings.HasSuffix(before, "[") && !strings.HasSuffix(before, "],") {
			return j
		}
	case !x.isSetter(open):
		return j
	}
	if m.kind == kindAuthorization || m.kind == kindCookie {
		x.removeCredentials(s[i:j], m, start, to)
		return max(next, start)
	}
	return x.removeValue(v, m, true, false)
}

// openBracket returns the index of the bracket before the quote that opens a text at i, or -1.
func openBracket(s string, i int) int {
	i--
	if i < 0 || sets[s[i]]&quote == 0 {
		return -1
	}
	for i > 0 && s[i-1] == '\\' {
		i--
	}
	for i > 0 && sets[s[i-1]]&space != 0 {
		i--
	}
	return i - 1
}

// calledFunction returns the name, in lower case, of the function whose bracket is at i.
func calledFunction(s string, i int) string {
	from := i
	for from > 0 && i-from < 80 && sets[s[from-1]]&(word|dot) != 0 {
		from--
	}
	return strings.ToLower(s[from:i])
}

// isSetter reports whether the function whose bracket is at i is a setter.
func (x *scan) isSetter(i int) bool {
	name := calledFunction(x.s, i)
	for _, end := range setters {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// call scans the function s[i:j] that is called with a text: one whose name says what it sets, or one that logs in.
func (x *scan) call(i, j int) int {
	s := x.s
	v := run(s, j+1, space)
	if q, _ := quoteAt(s, v); q == 0 && (j-i < 3 || j-i > 30) {
		return j
	}
	name := s[i:j]
	lower := strings.ToLower(name)
	if n := logins[withoutVerb(lower)]; n > 0 && (len(name) > 5 || n > 2 || i > 0 && s[i-1] == '.') {
		return x.removeArgument(v, n, j, lower == "login")
	}
	if typers[lower] && i > 0 && s[i-1] == '.' {
		return x.typedText(i, v, j)
	}
	m := x.setterMeaning(i, name)
	if m.class == notSecret {
		return j
	}
	q, from := quoteAt(s, v)
	if q == 0 {
		return j
	}
	to, next := quoteEnd(s, v, q, from)
	text := s[from:to]
	isSentence := strings.Contains(text, " ") && valueExtent(text, false) == extentNone
	if commonWords[strings.ToLower(text)] || isSentence || m.class == oftenSecret && !looksSecret(text) {
		return j
	}
	x.removeUnlessPlaceholder(from, to, m)
	return max(next, from)
}

// withoutVerb returns the name of a login function without its verb, as in SetBasicAuth.
func withoutVerb(name string) string {
	for _, verb := range verbs {
		if rest, ok := strings.CutPrefix(name, verb); ok && (rest == "basicauth" || rest == "basicauthentication") {
			return rest
		}
	}
	return strings.ReplaceAll(name, "basic_auth", "basicauth")
}

// wordBeforeComma scans the word s[i:j] before a comma. When it is a sensitive constant in a call that sets an option, the text after it
// is removed.
func (x *scan) wordBeforeComma(i, j int) int {
	s := x.s
	v := run(s, j+1, space)
	if q, _ := quoteAt(s, v); q == 0 || j-i < 6 || strings.ToUpper(s[i:j]) != s[i:j] {
		return j
	}
	from := max(0, i-maxConstant)
	open := strings.LastIndexByte(s[from:i], '(')
	if open < 0 || strings.ContainsAny(s[from+open:i], ")\"'") {
		return j
	}
	name := calledFunction(s, from+open)
	if m := x.r.meaningOf(s[i:j]); m.class == alwaysSecret && (strings.HasSuffix(name, "setopt") || strings.HasSuffix(name, "option")) {
		return x.removeValue(v, m, true, false)
	}
	return j
}

const maxConstant = 80 // bytes before a constant that are searched for the call

// setterMeaning returns the meaning of the value that a function sets, by the name after its verb, or by its whole name when it is a
// method.
func (x *scan) setterMeaning(i int, name string) meaning {
	for _, verb := range verbs {
		if len(name) <= len(verb) || !strings.EqualFold(name[:len(verb)], verb) {
			continue
		}
		if rest := name[len(verb):]; sets[rest[0]]&upper != 0 || rest[0] == '_' {
			return x.secretMeaning(rest)
		}
	}
	if i == 0 || x.s[i-1] != '.' {
		return meaning{}
	}
	var f folded
	f.fold(name)
	if len(f.ending(f.n).text) != f.n {
		return meaning{}
	}
	return x.secretMeaning(name)
}

// secretMeaning returns the meaning of a name if it is that of a secret. The argument of a function named secret is often the name of a
// secret.
func (x *scan) secretMeaning(name string) meaning {
	m := x.r.meaningOf(name)
	switch {
	case m.class != alwaysSecret && m.class != oftenSecret, m.kind == kindAuthorization || m.kind == kindCookie:
		return meaning{}
	case strings.EqualFold(strings.Trim(name, "_"), "secret"):
		m.class = oftenSecret
	}
	return m
}

// typedText removes the text that is typed into the field of a secret, by the function at i whose first argument is at v.
func (x *scan) typedText(i, v, otherwise int) int {
	s := x.s
	q, from := quoteAt(s, v)
	if q == 0 {
		return otherwise
	}
	to, next := quoteEnd(s, v, q, from)
	if comma := run(s, next, space); comma < len(s) && s[comma] == ',' {
		if to-from < 100 && x.r.Field(s[from:to]) != "" {
			return x.removeArgument(v, 2, otherwise, false)
		}
		return otherwise
	}
	of := s[max(0, i-100):i]
	if k := strings.LastIndexAny(of, "; \t"); k >= 0 && !strings.Contains(of[k:], "(") {
		k = strings.LastIndexByte(of, '(')
		of = of[max(k, 0):]
	}
	if strings.HasSuffix(of, ").") && x.r.Field(of) != "" {
		x.removeUnlessPlaceholder(from, to, meaning{class: alwaysSecret, kind: kindField})
		return max(next, from)
	}
	return otherwise
}

// removeArgument removes the n-th argument of a call, the first of which is at v, if it is a text, and, when unsure, only if it looks like
// a secret.
func (x *scan) removeArgument(v, n, otherwise int, unsure bool) int {
	s := x.s[:min(len(x.s), v+maxCommand)]
	for v < len(s) && s[v] != ')' {
		q, from := quoteAt(s, v)
		if n == 1 {
			if q == 0 {
				return otherwise
			}
			to, next := quoteEnd(s, v, q, from)
			if unsure && !looksSecret(s[from:to]) {
				return otherwise
			}
			x.removeUnlessPlaceholder(from, to, meaning{class: alwaysSecret, kind: kindPassword})
			return max(next, from)
		}
		switch {
		case q > 0:
			_, v = quoteEnd(s, v, q, from)
		case s[v] == ',':
			n--
			v = run(s, v+1, space)
		default:
			v++
		}
	}
	return otherwise
}
