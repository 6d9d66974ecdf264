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
