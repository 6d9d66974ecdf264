package redact

import "strings"

// Header redacts the value of a header. Of Authorization the scheme stays, of cookies the
// names and the attributes.
func (r *Redactor) Header(name, value string, c Counts) string {
	return r.header(name, r.name(name), value, c)
}

func (r *Redactor) header(name string, m meaning, value string, c Counts) string {
	if value == "" {
		return value
	}
	switch strings.ToLower(name) {
	case "location", "referer", "referrer", "origin", "content-location", ":path", "x-original-url", "x-forwarded-uri", "x-rewrite-url":
		if !isOwn(m.kind) {
			return r.URL(value, c)
		}
	case "x-csrf-token", "x-xsrf-token":
		m = meaning{sure, kindField}
	case "sec-websocket-protocol":
		return r.protocols(value, c)
	}
	switch {
	case m.class == none, m.class == parameter, m.class == digits && !number(value), m.class == plural && number(value), m.class == opaque && !random(value):
		return r.inner(value, c, 1)
	}
	out, ok := settle(value, c, func(s string) []edit {
		x := scan{r: r, s: s, st: &state{}, before: -1, from: -1, to: -1, element: -1}
		switch m.kind {
		case kindAuthorization, kindCookie:
			x.sealed(name, m, 0, len(s))
		default:
			x.secret(0, len(s), m)
		}
		x.finish()
		return x.edits
	})
	if !ok {
		return marker(kindLine)
	}
	return out
}

// ofHeader returns what a name means that is surely one of a header of HTTP. More of them are those
// of secrets than elsewhere: whatever ends in a key, a session or the like and is not known to be none.
func (r *Redactor) ofHeader(name string) meaning {
	m := r.name(name)
	if m.class == sure || isOwn(m.kind) || m.kind == kindAuthorization {
		return m
	}
	if r.allowed(name) {
		return m
	}
	lower := strings.ToLower(name)
	switch lower {
	case "idempotency-key", "x-idempotency-key", "surrogate-key", "xkey", "x-cache-key", "cache-key", "x-surrogate-key", "x-routing-key", "x-partition-key", "x-varnish-key":
		return m
	}
	if strings.HasPrefix(lower, "sec-websocket-") || strings.HasPrefix(lower, "access-control-") {
		return m
	}
	switch lower[strings.LastIndexAny(lower, "-_")+1:] {
	case "cookie":
		return meaning{sure, kindCookie}
	case "key", "token", "session", "auth", "authentication", "assertion", "credential", "credentials", "jwt", "secret":
		return meaning{sure, kindField}
	}
	return m
}

// protocols redacts Sec-WebSocket-Protocol, in which a browser that may send no other header sends
// a token as if it were a protocol, behind one that tells so.
func (r *Redactor) protocols(value string, c Counts) string {
	const kubernetes = "base64url.bearer.authorization.k8s.io."
	all := strings.Split(value, ",")
	told := false
	for i, one := range all {
		name := strings.TrimSpace(one)
		secret := strings.TrimPrefix(name, kubernetes)
		if m := r.name(name); told || secret != name {
			if secret != "" && !marked(secret) {
				c.count(kindAuthorization)
				at := strings.LastIndex(one, secret)
				all[i] = one[:at] + marker(kindAuthorization) + one[at+len(secret):]
			}
		} else if told = schemed(name) || m.class == sure || m.class == loose; !told {
			all[i] = r.inner(one, c, 1)
		}
	}
	return strings.Join(all, ",")
}

// credentials looks at the value of an Authorization or a Cookie header in a text, and
// returns where to go on.
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
		x.sealed(name, m, from, to)
		return max(next, from)
	}
	if s[v] == '[' && markerEnd(s, v) == v && !template(s[v:]) {
		if to := run(s, v+1, word|base|dot|space); to < len(s) && s[to] == ']' {
			x.sealed(name, m, v+1, to)
			return to
		}
	}
	if (s[v] == '[' || s[v] == '{') && markerEnd(s, v) == v {
		return x.container(v, m)
	}
	if m.class == plural && number(s[v:x.bareEnd(v, false)]) {
		return v
	}
	limit, whole := len(s), x.leads()
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
	case prose(text, false) && !strings.HasPrefix(text, "token "):
		return v
	case m.kind == kindCookie:
		if strings.IndexByte(text, '=') < 0 && !likely(s[v:x.bareEnd(v, false)]) {
			return v
		}
		if !whole {
			if limit = cookiesEnd(s, v); limit == v {
				return v
			}
		}
	case !whole:
		limit = x.bareEnd(v, false)
		if schemed(s[v:limit]) {
			limit = x.bareEnd(run(s, limit, space), false)
		} else if !likely(s[v:limit]) {
			return v
		}
	}
	x.sealed(name, m, v, limit)
	return limit
}

// closed returns where the text goes on if the quote that opens before the name closes at v, or 0.
func (x *scan) closed(v int) int {
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

// beyond looks at what follows a name and its sign that stand in quotes of their own: a sentence,
// the rest of a program, or the value still.
func (x *scan) beyond(v int, name string, m meaning) int {
	s := x.s
	k := skip(s, v)
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
	case q == 0 && extent(s[k:min(len(s), k+maxSentence)], false) == nothing:
		return v
	}
	return x.value(k, m, q > 0, false)
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

func schemed(name string) bool {
	switch strings.ToLower(name) {
	case "bearer", "basic", "digest", "token", "negotiate", "apikey", "aws4-hmac-sha256", "hawk", "ntlm", "signature", "oauth", "dpop":
		return true
	}
	return false
}

// sealed takes what is secret in s[from:to], all of which is such a header's value.
func (x *scan) sealed(name string, m meaning, from, to int) {
	s := x.s
	if m.kind == kindAuthorization {
		if j := run(s[:to], from, word); j < to && sets[s[j]]&space != 0 && schemed(s[from:j]) {
			from = run(s[:to], j, space)
		}
		for to > from && sets[s[to-1]]&space != 0 {
			to--
		}
		if from < to {
			x.secret(from, to, m)
		}
		return
	}
	answers := strings.HasPrefix(strings.ToLower(name), "set")
	for from < to {
		end := cookieEnd(s, from, to)
		if !answers {
			x.cookie(from, end)
		} else {
			x.cookieOrAttribute(from, end)
		}
		from = end + 1
	}
}

// cookieEnd returns where a cookie, or an attribute of one, ends: not within quotes.
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

// cookie takes the value of name=value, or what stands without a name.
func (x *scan) cookie(from, to int) {
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
	x.take(from, to, kindCookie)
}

// cookieOrAttribute takes the value of a cookie that is set, and leaves its attributes.
// Cookies that were joined with commas are told from dates by their equals sign.
func (x *scan) cookieOrAttribute(from, to int) {
	s := x.s
	eq := strings.IndexByte(s[from:to], '=')
	if eq < 0 {
		switch strings.ToLower(strings.TrimSpace(s[from:to])) {
		case "", "httponly", "secure", "partitioned", "sameparty":
		default:
			x.cookie(from, to)
		}
		return
	}
	switch strings.ToLower(strings.TrimSpace(s[from : from+eq])) {
	case "expires", "max-age", "domain", "path", "samesite", "priority", "version", "comment":
		if k := strings.LastIndexByte(s[from:to], ','); k > eq && strings.IndexByte(s[from+k:to], '=') > 0 {
			x.cookie(from+k+1, to)
		}
		return
	}
	x.cookie(from, to)
}
