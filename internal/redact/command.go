package redact

import "strings"

// removeLoginPassword removes the password of name:password at v, as curl takes it.
func (x *scan) removeLoginPassword(v, otherwise int) int {
	s := x.s
	if !x.isAfter(v, "curl") && !x.isAfter(v, "wget") && !x.isAfter(v, "http") {
		return otherwise
	}
	v, end, _ := x.argument(v)
	if colon := strings.IndexByte(s[v:end], ':'); colon >= 0 {
		x.removeUnlessPlaceholder(v+colon+1, end, meaning{class: alwaysSecret, kind: kindPassword})
		return end
	}
	return otherwise
}

// argument returns the argument of a command at v without its quotes, and the index after it.
func (x *scan) argument(v int) (from, to, next int) {
	if q, from := quoteAt(x.s, v); q > 0 {
		to, next = quoteEnd(x.s, v, q, from)
		return from, to, next
	}
	to = x.bareEnd(v, false)
	return v, to, to
}

// removeCookieArgument removes the cookies in an argument of curl.
func (x *scan) removeCookieArgument(v, otherwise int) int {
	s := x.s
	if !x.isAfter(v, "curl") {
		return otherwise
	}
	v, end, next := x.argument(v)
	if strings.IndexByte(s[v:end], '=') < 0 { // a file of them
		return otherwise
	}
	x.removeCredentials("cookie", meaning{class: alwaysSecret, kind: kindCookie}, v, end)
	return max(next, v)
}

// removeDSNPassword removes the password of name:password@tcp(host), as Go's database drivers take it, and of name/password@host, as
// Oracle's take it.
func (x *scan) removeDSNPassword(at int) {
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
		case !x.isAfter(from, "sqlplus ") && !x.isAfter(from, "sqlldr ") && !x.isAfter(from, "expdp ") && !x.isAfter(from, "impdp "):
			return
		}
	}
	if k := strings.IndexByte(s[from:at], sign); k >= 0 {
		x.removeUnlessPlaceholder(from+k+1, at, meaning{class: alwaysSecret, kind: kindPassword})
	}
}
