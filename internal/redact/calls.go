package redact

import "strings"

// setters are ends of the names of functions that are given a name and its value.
var setters = [...]string{"set", "setitem", "put", "append", "add", "header", "setproperty", "setenv", "putenv", "cookie",
	"setattribute", "field", "param",
	"define", "setdefault", "property", "environmentvariable", "config", "conf", "putstring", "setstring", "insert", "option",
	"fill", "sendkeys",
	"env", "environ.get", "getordefault", "store", "save", "set_var"}

// typers are names of functions that type a text into the field of a selector, or of what is before them.
var typers = map[string]bool{
	"type": true, "fill": true, "sendkeys": true, "send_keys": true, "setvalue": true, "entertext": true, "typetext": true,
}

// verbs begin the names of functions that set what the rest of their name says.
var verbs = [...]string{"set", "with", "use", "add", "put"}

// logins are ends of the names of functions that are given a secret after other arguments, and which
// argument it is.
var logins = map[string]int{
	"basicauth": 2, "httpbasicauth": 2, "httpdigestauth": 2, "basicauthentication": 2, "passwordauthentication": 2,
	"usernamepasswordcredentials": 2,
	"networkcredential":           2, "passwordcredential": 2,
	"auth": 2, "login": 2, "basic": 2, "getconnection": 3, "mysqli": 3, "mysqli_connect": 3, "mysql_connect": 3, "pdo": 3,
}

// quoted looks at the word s[i:j] that a quote follows. When it ends a telling name that begins a
// call or a list, then in what sets something, and in a list of lists of two, what follows it goes.
func (x *scan) quoted(i, j int) int {
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
	open := opened(s, from)
	if open < 0 || s[open] != '(' && s[open] != '[' {
		return j
	}
	m := x.r.name(s[from:j])
	if m.class != sure && m.class != loose && m.class != opaque {
		return j
	}
	v = run(s, v+1, space)
	q, start := quoteAt(s, v)
	if q == 0 {
		return j
	}
	to, next := quoteEnd(s, v, q, start)
	if text := s[start:to]; plain(text) && x.r.name(text).class == sure { // a word of a form
		return j
	}
	switch after := run(s, next, space); {
	case s[open] == '[':
		before := strings.TrimRight(s[max(0, open-20):open], " \t")
		if after == len(s) || s[after] != ']' || !strings.HasSuffix(before, "[") && !strings.HasSuffix(before, "],") {
			return j
		}
	case !x.sets(open):
		return j
	}
	if m.kind == kindAuthorization || m.kind == kindCookie {
		x.sealed(s[i:j], m, start, to)
		return max(next, start)
	}
	return x.value(v, m, true, false)
}

// opened returns where the bracket is before the quote that opens a text at i, or -1.
func opened(s string, i int) int {
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

// called returns the name, in lower case, of the function whose bracket opens at i.
func called(s string, i int) string {
	from := i
	for from > 0 && i-from < 80 && sets[s[from-1]]&(word|dot) != 0 {
		from--
	}
	return strings.ToLower(s[from:i])
}

// sets says whether the function whose bracket opens at i is a setter.
func (x *scan) sets(i int) bool {
	name := called(x.s, i)
	for _, end := range setters {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// call looks at the function s[i:j] that is called with a text: one that says what it sets, or one
// that logs in.
func (x *scan) call(i, j int) int {
	s := x.s
	v := run(s, j+1, space)
	if q, _ := quoteAt(s, v); q == 0 && (j-i < 3 || j-i > 30) {
		return j
	}
	name := s[i:j]
	lower := strings.ToLower(name)
	if n := logins[unverbed(lower)]; n > 0 && (len(name) > 5 || n > 2 || i > 0 && s[i-1] == '.') {
		return x.argumentOf(v, n, j, lower == "login")
	}
	if typers[lower] && i > 0 && s[i-1] == '.' {
		return x.typed(i, v, j)
	}
	m := x.assigns(i, name)
	if m.class == none {
		return j
	}
	q, from := quoteAt(s, v)
	if q == 0 {
		return j
	}
	to, next := quoteEnd(s, v, q, from)
	text := s[from:to]
	if harmless[strings.ToLower(text)] || strings.Contains(text, " ") && extent(text, false) == nothing || m.class == loose && !likely(text) {
		return j
	}
	x.secret(from, to, m)
	return max(next, from)
}

// unverbed returns what the function named so sets, without the verb, if that is a login: SetBasicAuth.
func unverbed(name string) string {
	for _, verb := range verbs {
		if rest, ok := strings.CutPrefix(name, verb); ok && (rest == "basicauth" || rest == "basicauthentication") {
			return rest
		}
	}
	return strings.ReplaceAll(name, "basic_auth", "basicauth")
}

// constant looks at the word s[i:j] that a comma follows. When it is the constant of a telling name in a call
// that sets an option, the text behind it goes.
func (x *scan) constant(i, j int) int {
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
	name := called(s, from+open)
	if m := x.r.name(s[i:j]); m.class == sure && (strings.HasSuffix(name, "setopt") || strings.HasSuffix(name, "option")) {
		return x.value(v, m, true, false)
	}
	return j
}

const maxConstant = 80 // of what is looked at before a constant to find the call

// assigns returns what the function named so sets, by what follows its verb, or by its whole name
// when it is a member's.
func (x *scan) assigns(i int, name string) meaning {
	for _, verb := range verbs {
		if len(name) > len(verb) && strings.EqualFold(name[:len(verb)], verb) && (sets[name[len(verb)]]&upper != 0 || name[len(verb)] == '_') {
			return x.secretNamed(name[len(verb):])
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
	return x.secretNamed(name)
}

// secretNamed returns what a name means if it is one of a secret. One of a store of secrets is likely
// given the name of one.
func (x *scan) secretNamed(name string) meaning {
	m := x.r.name(name)
	switch {
	case m.class != sure && m.class != loose, m.kind == kindAuthorization || m.kind == kindCookie:
		return meaning{}
	case strings.EqualFold(strings.Trim(name, "_"), "secret"):
		m.class = loose
	}
	return m
}

// typed takes what is typed into a field for a secret, by the function at i whose first argument is at v.
func (x *scan) typed(i, v, otherwise int) int {
	s := x.s
	q, from := quoteAt(s, v)
	if q == 0 {
		return otherwise
	}
	to, next := quoteEnd(s, v, q, from)
	if comma := run(s, next, space); comma < len(s) && s[comma] == ',' {
		if to-from < 100 && x.r.Field(s[from:to]) != "" {
			return x.argumentOf(v, 2, otherwise, false)
		}
		return otherwise
	}
	of := s[max(0, i-100):i]
	if k := strings.LastIndexAny(of, "; \t"); k >= 0 && !strings.Contains(of[k:], "(") {
		k = strings.LastIndexByte(of, '(')
		of = of[max(k, 0):]
	}
	if strings.HasSuffix(of, ").") && x.r.Field(of) != "" {
		x.secret(from, to, meaning{sure, kindField})
		return max(next, from)
	}
	return otherwise
}

// argumentOf takes the n-th argument of a call, the first of which is at v, if it is a text, and one that
// looks like a secret where that is asked for.
func (x *scan) argumentOf(v, n, otherwise int, unsure bool) int {
	s := x.s[:min(len(x.s), v+maxCommand)]
	for v < len(s) && s[v] != ')' {
		q, from := quoteAt(s, v)
		if n == 1 {
			if q == 0 {
				return otherwise
			}
			to, next := quoteEnd(s, v, q, from)
			if unsure && !likely(s[from:to]) {
				return otherwise
			}
			x.secret(from, to, meaning{sure, kindPassword})
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
