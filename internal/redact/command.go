package redact

import "strings"

// login takes the password out of name:password at v, as curl is given it.
func (x *scan) login(v, otherwise int) int {
	s := x.s
	if !x.after(v, "curl") && !x.after(v, "wget") && !x.after(v, "http") {
		return otherwise
	}
	v, end, _ := x.argument(v)
	if colon := strings.IndexByte(s[v:end], ':'); colon >= 0 {
		x.secret(v+colon+1, end, meaning{sure, kindPassword})
		return end
	}
	return otherwise
}

// argument returns where the argument of a command that is at v begins and ends, without
// its quotes, and what comes after it.
func (x *scan) argument(v int) (from, to, next int) {
	if q, from := quoteAt(x.s, v); q > 0 {
		to, next = quoteEnd(x.s, v, q, from)
		return from, to, next
	}
	to = x.bareEnd(v, false)
	return v, to, to
}

// jar takes the cookies that curl is given.
func (x *scan) jar(v, otherwise int) int {
	s := x.s
	if !x.after(v, "curl") {
		return otherwise
	}
	v, end, next := x.argument(v)
	if strings.IndexByte(s[v:end], '=') < 0 { // a file of them
		return otherwise
	}
	x.sealed("cookie", meaning{sure, kindCookie}, v, end)
	return max(next, v)
}

// setters are ends of the names of functions that are given a name and its value.
var setters = [...]string{"set", "setitem", "put", "append", "add", "header", "setproperty", "setenv", "putenv", "cookie", "setattribute", "field", "param"}

// pair looks at the telling name s[i:j] in quotes that begins a call or a list: in what sets
// something, and in a list of lists of two, what follows it goes.
func (x *scan) pair(i, j int) int {
	s := x.s
	v := run(s, j+1, space)
	if v == len(s) || s[v] != ',' {
		return j
	}
	v = run(s, v+1, space)
	m := x.r.name(s[i:j])
	if m.class != sure && m.class != loose {
		return j
	}
	q, from := quoteAt(s, v)
	if q == 0 {
		return j
	}
	to, next := quoteEnd(s, v, q, from)
	switch after := run(s, next, space); {
	case s[i-2] == '[':
		before := strings.TrimRight(s[max(0, i-20):i-2], " \t")
		if after == len(s) || s[after] != ']' || !strings.HasSuffix(before, "[") && !strings.HasSuffix(before, "],") {
			return j
		}
	case !x.sets(i - 2):
		return j
	}
	if m.kind == kindAuthorization || m.kind == kindCookie {
		x.sealed(s[i:j], m, from, to)
		return max(next, from)
	}
	return x.value(v, m, true, false)
}

// sets says whether the function whose bracket opens at i is a setter.
func (x *scan) sets(i int) bool {
	from := i
	for from > 0 && sets[x.s[from-1]]&word != 0 {
		from--
	}
	name := strings.ToLower(x.s[from:i])
	for _, end := range setters {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// account takes the password out of name:password@tcp(host), as Go's database drivers have it,
// and out of name/password@host, as Oracle's have it.
func (x *scan) account(at int) {
	s := x.s
	sign := byte(':')
	if !strings.HasPrefix(s[at:], "@tcp(") && !strings.HasPrefix(s[at:], "@unix(") {
		sign = '/'
	}
	from := strings.LastIndexAny(s[max(0, at-200):at], " \"'`=\t") + 1 + max(0, at-200)
	if sign == '/' {
		switch driver := "jdbc:oracle:"; {
		case strings.HasPrefix(s[from:at], driver):
			from += len(driver)
		case !x.after(from, "sqlplus ") && !x.after(from, "sqlldr ") && !x.after(from, "expdp ") && !x.after(from, "impdp "):
			return
		}
	}
	if k := strings.IndexByte(s[from:at], sign); k >= 0 {
		x.secret(from+k+1, at, meaning{sure, kindPassword})
	}
}
