package redact

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// Header redacts the value of a header. The scheme of Authorization is kept, and the names and attributes of cookies.
func (r *Redactor) Header(name, value string, c Counts) string {
	r = r.Report()
	return r.RemoveRepeated(r.redactHeader(name, r.set.Meaning(name), value, c), c)
}

// redactHeader redacts the value of a header whose name has a meaning.
func (r *Redactor) redactHeader(name string, m decide.Meaning, value string, c Counts) string {
	if value == "" {
		return value
	}
	switch strings.ToLower(name) {
	case "location", "referer", "referrer", "origin", "content-location", ":path", "x-original-url", "x-forwarded-uri",
		"x-rewrite-url":
		if m.Kind() != decide.KindRule {
			return r.redactURL(value, c)
		}
	case "x-csrf-token", "x-xsrf-token":
		m = decide.HeaderName
	case "sec-websocket-protocol":
		return r.redactProtocols(value, c)
	}
	isCount := m.Class == decide.UnlessNumber && decide.IsNumber(value)
	isList := m.Kind() == decide.KindAuthorization || m.Kind() == decide.KindCookie && !isCount
	if !isList && !r.set.Removes(decide.Value{Meaning: m, Context: decide.Stated, Text: value}) {
		return r.redactString(value, c, 1)
	}
	st := r.newLines(1)
	defer st.release()
	out, ok := r.untilStable(value, st, c, func(x *find.Scanner, s string, _ *find.State) { x.ScanHeader(name, m, s) })
	if !ok {
		return lex.Marker(decide.KindLine)
	}
	return out
}

// headerMeaning returns the meaning of the name of an HTTP header. More names are sensitive here than elsewhere: all
// that end in key, session or the like, except those that are known to be harmless.
func (r *Redactor) headerMeaning(name string) decide.Meaning {
	m := r.set.Meaning(name)
	if m.Class == decide.Always || m.Kind() == decide.KindRule || m.Kind() == decide.KindAuthorization ||
		r.set.IsAllowed(name) {
		return m
	}
	lower := strings.ToLower(name)
	switch lower {
	case "idempotency-key", "x-idempotency-key", "surrogate-key", "xkey", "x-cache-key", "cache-key", "x-surrogate-key",
		"x-routing-key",
		"x-partition-key", "x-varnish-key":
		return m
	}
	if strings.HasPrefix(lower, "sec-websocket-") || strings.HasPrefix(lower, "access-control-") {
		return m
	}
	switch lower[strings.LastIndexAny(lower, "-_")+1:] {
	case "cookie":
		return decide.Cookie
	case "key", "token", "session", "auth", "authentication", "assertion", "credential", "credentials", "jwt", "secret":
		return decide.HeaderName
	}
	return m
}

// redactProtocols redacts Sec-WebSocket-Protocol, in which browsers send a token as a protocol, after a protocol that
// announces it.
func (r *Redactor) redactProtocols(value string, c Counts) string {
	const kubernetes = "base64url.bearer.authorization.k8s.io."
	all := strings.Split(value, ",")
	told := false
	for i, one := range all {
		name := strings.TrimSpace(one)
		secret := strings.TrimPrefix(name, kubernetes)
		if m := r.set.Meaning(name); told || secret != name {
			if secret != "" && !lex.IsMarker(secret) {
				c.count(decide.Credentials.Rule, secret)
				at := strings.LastIndex(one, secret)
				all[i] = one[:at] + r.mark(decide.Credentials.Rule, false) + one[at+len(secret):]
			}
		} else if told = decide.IsScheme(name) || m.Class == decide.Always || m.Class == decide.Often; !told {
			all[i] = r.redactString(one, c, 1)
		}
	}
	return strings.Join(all, ",")
}
