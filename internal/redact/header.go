package redact

import "strings"

// Header redacts the value of a header. The scheme of Authorization is kept, and the names and attributes of cookies.
func (r *Redactor) Header(name, value string, c Counts) string {
	return r.redactHeader(name, r.meaningOf(name), value, c)
}

// redactHeader redacts the value of a header whose name has a meaning.
func (r *Redactor) redactHeader(name string, m meaning, value string, c Counts) string {
	if value == "" {
		return value
	}
	switch strings.ToLower(name) {
	case "location", "referer", "referrer", "origin", "content-location", ":path", "x-original-url", "x-forwarded-uri", "x-rewrite-url":
		if !isOwn(m.kind) {
			return r.URL(value, c)
		}
	case "x-csrf-token", "x-xsrf-token":
		m = meaning{class: alwaysSecret, kind: kindField}
	case "sec-websocket-protocol":
		return r.redactProtocols(value, c)
	}
	if !m.isSecret() || m.excludes(value) {
		return r.redactString(value, c, 1)
	}
	out, ok := untilStable(value, c, func(s string) []edit {
		x := scan{r: r, s: s, st: &state{}, before: -1, from: -1, to: -1, elementText: -1}
		switch m.kind {
		case kindAuthorization, kindCookie:
			x.removeCredentials(name, m, 0, len(s))
		default:
			x.removeUnlessPlaceholder(0, len(s), m)
		}
		x.finish()
		return x.edits
	})
	if !ok {
		return marker(kindLine)
	}
	return out
}

// headerMeaning returns the meaning of the name of an HTTP header. More names are sensitive here than elsewhere: all that end in key,
// session or the like, except those that are known to be harmless.
func (r *Redactor) headerMeaning(name string) meaning {
	m := r.meaningOf(name)
	if m.class == alwaysSecret || isOwn(m.kind) || m.kind == kindAuthorization {
		return m
	}
	if r.isAllowed(name) {
		return m
	}
	lower := strings.ToLower(name)
	switch lower {
	case "idempotency-key", "x-idempotency-key", "surrogate-key", "xkey", "x-cache-key", "cache-key", "x-surrogate-key", "x-routing-key",
		"x-partition-key", "x-varnish-key":
		return m
	}
	if strings.HasPrefix(lower, "sec-websocket-") || strings.HasPrefix(lower, "access-control-") {
		return m
	}
	switch lower[strings.LastIndexAny(lower, "-_")+1:] {
	case "cookie":
		return meaning{class: alwaysSecret, kind: kindCookie}
	case "key", "token", "session", "auth", "authentication", "assertion", "credential", "credentials", "jwt", "secret":
		return meaning{class: alwaysSecret, kind: kindField}
	}
	return m
}

// redactProtocols redacts Sec-WebSocket-Protocol, in which browsers send a token as a protocol, after a protocol that announces it.
func (r *Redactor) redactProtocols(value string, c Counts) string {
	const kubernetes = "base64url.bearer.authorization.k8s.io."
	all := strings.Split(value, ",")
	told := false
	for i, one := range all {
		name := strings.TrimSpace(one)
		secret := strings.TrimPrefix(name, kubernetes)
		if m := r.meaningOf(name); told || secret != name {
			if secret != "" && !isMarker(secret) {
				c.count(kindAuthorization)
				at := strings.LastIndex(one, secret)
				all[i] = one[:at] + marker(kindAuthorization) + one[at+len(secret):]
			}
		} else if told = isAuthScheme(name) || m.class == alwaysSecret || m.class == oftenSecret; !told {
			all[i] = r.redactString(one, c, 1)
		}
	}
	return strings.Join(all, ",")
}

// credentials scans the value of an Authorization or Cookie header in a text, and returns where to continue.
func (x *scan) credentials(name string, m meaning, v int) int {
	s := x.s
	for v < len(s) && s[v] == '*' {
		v++
	}
	v = run(s, v, space)
	if v == len(s) {
		return v
	}
	if q, from := quoteAt(s, v); q > 0 {
		to, next := quoteEnd(s, v, q, from)
		x.removeCredentials(name, m, from, to)
		return max(next, from)
	}
	if s[v] == '[' && markerEnd(s, v) == v && !isTemplate(s[v:]) {
		if to := run(s, v+1, word|base|dot|space); to < len(s) && s[to] == ']' {
			x.removeCredentials(name, m, v+1, to)
			return to
		}
	}
	if (s[v] == '[' || s[v] == '{') && markerEnd(s, v) == v {
		return x.removeBracketed(v, m)
	}
	if m.class == secretUnlessNumber && isNumber(s[v:x.bareEnd(v, false)]) {
		return v
	}
	limit, whole := len(s), x.beginsLine()
	if open := x.from; open > 0 && sets[s[open-1]]&quote != 0 { // 'Cookie: …', of a command
		open--
		from := open + 1
		for open > 0 && s[open-1] == '\\' {
			open--
		}
		if q, _ := quoteAt(s, open); q > 0 {
			switch to, _ := quoteEnd(s, open, q, from); {
			case to > v:
				limit, whole = to, true
			case to <= run(s, x.to, space): // ['Cookie'] = …, of a program
				return v
			}
		}
	}
	text := s[v:limit]
	switch {
	case isProse(text, false) && !strings.HasPrefix(text, "token "):
		return v
	case m.kind == kindCookie:
		if strings.IndexByte(text, '=') < 0 && !looksSecret(s[v:x.bareEnd(v, false)]) {
			return v
		}
		if !whole {
			if limit = cookiesEnd(s, v); limit == v {
				return v
			}
		}
	case !whole:
		limit = x.bareEnd(v, false)
		if isAuthScheme(s[v:limit]) {
			limit = x.bareEnd(run(s, limit, space), false)
		} else if !looksSecret(s[v:limit]) {
			return v
		}
	}
	x.removeCredentials(name, m, v, limit)
	return limit
}

// nameQuoteEnd returns the index after the quote at v if it closes a quote that opens before the name, and 0 otherwise.
func (x *scan) nameQuoteEnd(v int) int {
	s := x.s
	level, next := quoteAt(s, v)
	for _, from := range [...]int{x.from, x.before} {
		open := from - 1
		if level == 0 || open < 0 || s[open] != s[next-1] {
			continue
		}
		for open > 0 && s[open-1] == '\\' {
			open--
		}
		if l, _ := quoteAt(s, open); l == level {
			return next
		}
	}
	return 0
}

// afterQuotedName scans the text after a name and its sign that are in quotes together: a sentence, the rest of a program, or the value.
func (x *scan) afterQuotedName(v int, name string, m meaning) int {
	s := x.s
	k := skipBold(s, v)
	if k < len(s) && strings.IndexByte(":=+.", s[k]) >= 0 {
		k = run(s, k+1, space)
		if q, _ := quoteAt(s, k); q == 0 {
			return v
		}
	}
	q, _ := quoteAt(s, k)
	switch {
	case q == 0 && (k == len(s) || strings.IndexByte(",;()]}<>|&#/?%-\\", s[k]) >= 0):
		return v
	case m.kind == kindAuthorization || m.kind == kindCookie:
		return x.credentials(name, m, k)
	case q == 0 && valueExtent(s[k:min(len(s), k+maxSentence)], false) == extentNone:
		return v
	}
	return x.removeValue(k, m, q > 0, false)
}

// cookiesEnd returns where cookies in running text end.
func cookiesEnd(s string, v int) int {
	end := v
	for i := v; i < len(s); {
		j := run(s, i, word|dot)
		if j == i || j == len(s) || s[j] != '=' {
			return end
		}
		for j < len(s) && sets[s[j]]&(space|quote) == 0 && s[j] != ';' {
			j++
		}
		end = j
		if j == len(s) || s[j] != ';' {
			return end
		}
		i = run(s, j+1, space)
	}
	return end
}

// removeCredentials removes the secrets in s[from:to], the value of an Authorization or Cookie header.
func (x *scan) removeCredentials(name string, m meaning, from, to int) {
	s := x.s
	if m.kind == kindAuthorization {
		if j := run(s[:to], from, word); j < to && sets[s[j]]&space != 0 && isAuthScheme(s[from:j]) {
			from = run(s[:to], j, space)
		}
		for to > from && sets[s[to-1]]&space != 0 {
			to--
		}
		if from < to {
			x.removeUnlessPlaceholder(from, to, m)
		}
		return
	}
	answers := strings.HasPrefix(strings.ToLower(name), "set")
	for from < to {
		end := cookieEnd(s, from, to)
		if !answers {
			x.removeCookie(from, end)
		} else {
			x.removeSetCookie(from, end)
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
func (x *scan) removeCookie(from, to int) {
	s := x.s
	from = run(s[:to], from, space)
	for to > from && (sets[s[to-1]]&space != 0 || s[to-1] == '\r') {
		to--
	}
	if eq := strings.IndexByte(s[from:to], '='); eq >= 0 {
		from += eq + 1
	}
	if to-from > 1 && s[from] == '"' && s[to-1] == '"' {
		from, to = from+1, to-1
	}
	x.remove(from, to, kindCookie)
}

// removeSetCookie removes the value of a cookie that is set, and keeps its attributes. After a comma, an equals sign tells a further
// cookie from a date.
func (x *scan) removeSetCookie(from, to int) {
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
