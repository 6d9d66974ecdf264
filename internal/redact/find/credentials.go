package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// schemeEnd returns the end of the credentials after the authentication scheme s[i:j], or i.
func schemeEnd(s string, i, j int) int {
	v := blanksEnd(s, j)
	if m := lex.MarkerEnd(s, v); m > v {
		return m
	}
	isLong := func(set uint16, least int) int {
		end := lex.Run(s, v, set)
		if end-v < least || strings.HasPrefix(s[v:], "realm=") {
			return i
		}
		return end
	}
	switch name := s[i:j]; {
	case strings.EqualFold(name, "bearer"):
		if end := isLong(lex.Base64|lex.Dot, 8); end-v >= 24 || end > i && lex.HasDigit(s[v:end]) {
			return end
		}
	case strings.EqualFold(name, "token"):
		if end := isLong(lex.Base64|lex.Dot, 20); end > i && lex.HasDigit(s[v:end]) {
			return end
		}
	case strings.EqualFold(name, "basic"), strings.EqualFold(name, "negotiate"), strings.EqualFold(name, "apikey"):
		if end := isLong(lex.Base64, 8); end > i && strings.ContainsAny(s[v:end], "0123456789=") {
			return end
		}
	case strings.EqualFold(name, "digest") && strings.HasPrefix(s[v:], "username="),
		strings.EqualFold(name, "aws4-hmac-sha256") && strings.HasPrefix(s[v:], "Credential="):
		if k := strings.LastIndexAny(s[v:], "\"'"); k >= 0 && strings.IndexByte(s[v+k:], '=') < 0 &&
			strings.Count(s[v:], "'") == 1 {
			return v + k
		}
		return len(s)
	}
	return i
}

// credentials scans the value of an Authorization or Cookie header in a text, and returns where to continue.
func (x *Scanner) credentials(name string, m decide.Meaning, v int) int {
	s := x.s
	for v < len(s) && s[v] == '*' {
		v++
	}
	if v = blanksEnd(s, v); v == len(s) {
		return v
	}
	if from, to, next, ok := lex.Quoted(s, v); ok {
		x.removeCredentials(name, m, from, to)
		return next
	}
	if s[v] == '[' && lex.MarkerEnd(s, v) == v && !decide.IsTemplate(s[v:]) {
		if to := lex.Run(s, v+1, lex.Base64|lex.Dot|lex.Space); to < len(s) && s[to] == ']' {
			x.removeCredentials(name, m, v+1, to)
			return to
		}
	}
	if (s[v] == '[' || s[v] == '{') && lex.MarkerEnd(s, v) == v {
		return x.removeInBrackets(v, continuation{m: m, form: inJSON, indent: lex.Indent(s), lines: 10 * maxBelow})
	}
	if m.Class == decide.UnlessNumber && decide.IsNumber(s[v:bareEnd(s, v, false)]) {
		return v
	}
	return x.bareCredentials(name, m, v)
}

// bareCredentials scans the value without quotes of an Authorization or Cookie header.
func (x *Scanner) bareCredentials(name string, m decide.Meaning, v int) int {
	s := x.s
	limit, whole := x.quotedHeaderEnd(v)
	if limit == v {
		return v
	}
	text := s[v:limit]
	value := decide.Value{Meaning: decide.Credentials, Context: decide.Colon, Text: firstWord(text)}
	if shape, _ := x.Set.Decide(value); shape <= decide.State && !strings.HasPrefix(text, "token ") {
		return v
	}
	switch {
	case m.Kind() == decide.KindCookie:
		if strings.IndexByte(text, '=') < 0 && !decide.LooksSecret(s[v:bareEnd(s, v, false)]) {
			return v
		}
		if !whole {
			limit = cookiesEnd(s, v)
		}
	case !whole:
		limit = bareEnd(s, v, false)
		if decide.IsScheme(s[v:limit]) {
			limit = bareEnd(s, blanksEnd(s, limit), false)
		} else if !decide.LooksSecret(s[v:limit]) {
			return v
		}
	}
	x.removeCredentials(name, m, v, limit)
	return limit
}

func firstWord(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return strings.Trim(first, ".,;:!?()")
}

// quotedHeaderEnd returns where the value at v of a header ends, and whether all of that is the value. It is v for an
// item of a program.
func (x *Scanner) quotedHeaderEnd(v int) (limit int, whole bool) {
	s := x.s
	open := x.from
	if open == 0 || !lex.In(s[open-1], lex.Quote) {
		return len(s), x.beginsLine()
	}
	open--
	from := open + 1
	for open > 0 && s[open-1] == '\\' {
		open--
	}
	if q, _ := lex.QuoteAt(s, open); q > 0 {
		switch to, _ := lex.QuoteEnd(s, open, q, from); {
		case to > v: // 'Cookie: …', of a command
			return to, true
		case to <= blanksEnd(s, x.to): // ['Cookie'] = …, of a program
			return v, false
		}
	}
	return len(s), x.beginsLine()
}

// cookiesEnd returns where cookies in running text end.
func cookiesEnd(s string, v int) int {
	end := v
	for i := v; i < len(s); {
		j := lex.Run(s, i, lex.Word|lex.Dot)
		if j == i || j == len(s) || s[j] != '=' {
			return end
		}
		for j < len(s) && !lex.In(s[j], lex.Space|lex.Quote) && s[j] != ';' {
			j++
		}
		end = j
		if j == len(s) || s[j] != ';' {
			return end
		}
		i = blanksEnd(s, j+1)
	}
	return end
}

// removeCredentials removes the secrets in s[from:to], the value of an Authorization or Cookie header. An
// authentication scheme such as Bearer stays.
func (x *Scanner) removeCredentials(name string, m decide.Meaning, from, to int) {
	s := x.s
	if m.Kind() == decide.KindAuthorization {
		if j := lex.Run(s[:to], from, lex.Word); j < to && lex.In(s[j], lex.Space) && decide.IsScheme(s[from:j]) {
			from = blanksEnd(s[:to], j)
		}
		for to > from && lex.In(s[to-1], lex.Space) {
			to--
		}
		if from < to {
			x.removeUnlessPlaceholder(from, to, m)
		}
		return
	}
	isSetCookie := strings.HasPrefix(strings.ToLower(name), "set")
	for from < to {
		end := cookieEnd(s, from, to)
		if isSetCookie {
			x.removeSetCookie(from, end)
		} else {
			x.removeCookie(from, end)
		}
		from = end + 1
	}
}

// cookieEnd returns where a cookie, or an attribute of a cookie, ends. A semicolon in quotes does not end it.
func cookieEnd(s string, from, to int) int {
	quoted := false
	for i := from; i < to; i++ {
		switch s[i] {
		case '"':
			quoted = !quoted && i > from && s[i-1] == '=' && strings.IndexByte(s[i+1:to], '"') >= 0
		case '\n':
			return i
		case ';':
			if !quoted {
				return i
			}
		}
	}
	return to
}

// removeCookie removes the value of name=value, or a value without a name.
func (x *Scanner) removeCookie(from, to int) {
	s := x.s
	from = blanksEnd(s[:to], from)
	for to > from && (lex.In(s[to-1], lex.Space) || s[to-1] == '\r') {
		to--
	}
	if eq := strings.IndexByte(s[from:to], '='); eq >= 0 {
		from += eq + 1
	}
	if to-from > 1 && s[from] == '"' && s[to-1] == '"' {
		from, to = from+1, to-1
	}
	x.remove(from, to, decide.Cookie)
}

// removeSetCookie removes the value of a cookie that is set, and keeps its attributes. After a comma, an equals sign
// tells a further cookie from a date.
func (x *Scanner) removeSetCookie(from, to int) {
	s := x.s
	eq := strings.IndexByte(s[from:to], '=')
	if eq < 0 {
		switch strings.ToLower(strings.TrimSpace(s[from:to])) {
		case "", "httponly", "secure", "partitioned", "sameparty":
		default:
			x.removeCookie(from, to)
		}
		return
	}
	switch strings.ToLower(strings.TrimSpace(s[from : from+eq])) {
	case "expires", "max-age", "domain", "path", "samesite", "priority", "version", "comment":
		if k := strings.LastIndexByte(s[from:to], ','); k > eq && strings.IndexByte(s[from+k:to], '=') > 0 {
			x.removeCookie(from+k+1, to)
		}
		return
	}
	x.removeCookie(from, to)
}

// ScanHeader finds the secrets in the value of a header whose name has a meaning.
func (x *Scanner) ScanHeader(name string, m decide.Meaning, value string) {
	x.start(value, &State{})
	switch m.Kind() {
	case decide.KindAuthorization, decide.KindCookie:
		x.removeCredentials(name, m, 0, len(value))
	default:
		x.removeUnlessPlaceholder(0, len(value), m)
	}
}
