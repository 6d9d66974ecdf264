package redact

import (
	"slices"
	"strings"
)

// URL redacts a URL, absolute or relative: the password before its host, the values of sensitive parameters in its query and fragment, and
// tokens of known formats anywhere. The marker is REDACTED, because brackets would have to be escaped.
func (r *Redactor) URL(s string, c Counts) string {
	if urlEnd(s, 0) < len(s) || strings.Contains(s, markerPrefix) {
		return r.Text(s, c)
	}
	return r.redactWithURLMarkers(s, c, 0, func(x *scan) { x.scanURL(0, len(x.s)) })
}

// redactWithURLMarkers makes the edits that scan finds in a text, with the markers of URLs.
func (r *Redactor) redactWithURLMarkers(s string, c Counts, depth int, look func(*scan)) string {
	out, ok := untilStable(s, c, func(s string) []edit {
		x := scan{r: r, s: s, st: &state{depth: depth}, url: true, before: -1, from: -1, to: -1, elementText: -1}
		look(&x)
		x.finish()
		return x.edits
	})
	if !ok {
		return urlMarker
	}
	return out
}

// urlEnd returns where a URL in a text ends.
func urlEnd(s string, i int) int {
	for i < len(s) && s[i] > ' ' && strings.IndexByte("\"'<>`\\|^", s[i]) < 0 && (s[i] != '&' || entityLength(s, i) == 0) {
		i++
	}
	return i
}

// absoluteURL scans the URL whose scheme ends at i, and returns where to continue.
func (x *scan) absoluteURL(i int) int {
	if x.to != i {
		return i + len("://")
	}
	s, from := x.s, x.from
	end := urlEnd(s, i)
	for end > i && strings.IndexByte(".,;:!?)]}*", s[end-1]) >= 0 && !endsWithMarker(s[i:end]) {
		end--
	}
	x.withURLMarkers(func() { x.scanURL(from, end) })
	x.before, x.from, x.to = -1, -1, -1
	return max(end, i+len("://"))
}

// scanURL scans the URL s[a:b].
func (x *scan) scanURL(a, b int) {
	s := x.s
	if strings.HasPrefix(s[a:b], "data:") {
		if end := x.dataURL(a + len("data")); end > a+len("data") {
			a = min(end, b)
		}
	}
	path := a
	host := ""
	if k := strings.Index(s[a:b], "://"); k >= 0 && run(s, a, word|dot|base) == a+k {
		from := a + k + len("://")
		path = b
		if e := strings.IndexAny(s[from:b], "/?#"); e >= 0 {
			path = from + e
		}
		at := strings.LastIndexByte(s[from:path], '@')
		if at < 0 {
			at = x.userinfoEnd(from, b)
		}
		if at >= 0 {
			x.removeUserinfo(from, from+at)
			from += at + 1
			path = max(path, from)
		}
		host = s[from:path]
	}
	query := path
	for query < b && s[query] != '?' && s[query] != '#' {
		query++
	}
	x.scanPath(host, path, query)
	if query == b {
		return
	}
	from := query + 1
	if hash := strings.IndexByte(s[from:b], '#'); s[query] == '?' && hash >= 0 {
		x.scanParameters(from, from+hash)
		from += hash + 1
	} else if s[query] == '?' {
		x.scanParameters(from, b)
		return
	}
	if k := strings.IndexByte(s[from:b], '?'); k >= 0 {
		x.scanPath("", from, from+k)
		from += k + 1
	}
	x.scanParameters(from, b)
}

// userinfoEnd returns where the userinfo ends, from its beginning, when its password has characters that must be escaped in URLs; -1 when
// there is no userinfo.
func (x *scan) userinfoEnd(from, b int) int {
	s := x.s[from:b]
	at := strings.LastIndexByte(s, '@')
	colon := strings.IndexByte(s, ':')
	if at < 0 || colon < 1 || colon > at || s[0] == '[' || templateEnd(s[colon+1:]) > 0 || strings.IndexByte(s[:colon], '/') >= 0 {
		return -1
	}
	if port := s[colon+1 : max(colon+1, strings.IndexByte(s, '/'))]; isNumber(port) {
		return -1
	}
	return at
}

// removeUserinfo removes the password of a URL, or a user name that is itself a token.
func (x *scan) removeUserinfo(from, to int) {
	if colon := strings.IndexByte(x.s[from:to], ':'); colon >= 0 {
		if colon >= 16 {
			x.removeTokens(from, from+colon)
		}
		x.remove(from+colon+1, to, kindPassword)
	} else if to-from >= 16 {
		x.remove(from, to, kindPassword)
	}
}

// removeTokens removes tokens of known formats alone.
func (x *scan) removeTokens(i, end int) {
	for i < end {
		if byteRoles[x.s[i]] != isWord {
			i++
			continue
		}
		j := i
		for j < end && byteRoles[x.s[j]] == isWord {
			j++
		}
		if stop, kind := tokenEnd(x.s[:end], i); stop > i {
			x.remove(i, stop, kind)
			j = max(j, stop)
		} else if at, stop, kind := tokenWithin(x.s[:end], i, j); stop > at {
			x.remove(at, stop, kind)
			j = stop
		}
		i = j
	}
}

// scanPath removes tokens in a path, the secret part of webhook addresses, and parameters after a semicolon.
func (x *scan) scanPath(host string, from, to int) {
	s := x.s
	for _, hook := range [...]struct{ host, path string }{
		{"hooks.slack.com", "/services/"}, {"discord", "/api/webhooks/"}, {"webhook.office.com", "/webhookb2/"},
		{"hooks.zapier.com", "/hooks/catch/"}, {"chat.googleapis.com", "/v1/spaces/"},
	} {
		if strings.Contains(host, hook.host) && strings.HasPrefix(s[from:to], hook.path) && to-from > len(hook.path) {
			start := from + len(hook.path)
			if isMarker(s[start:to]) {
				return
			}
			x.remove(start, to, kindToken)
			return
		}
	}
	if semi := strings.IndexByte(s[from:to], ';'); semi >= 0 {
		x.removeTokens(from, from+semi)
		for part := from + semi + 1; part < to; {
			end := to
			if k := strings.IndexAny(s[part:to], ";/"); k >= 0 {
				end = part + k
			}
			x.scanParameter(part, end)
			part = end + 1
		}
		return
	}
	x.removeTokens(from, to)
}

// scanParameters scans name=value&name=value.
func (x *scan) scanParameters(from, to int) {
	for from < to {
		end := to
		if k := strings.IndexByte(x.s[from:to], '&'); k >= 0 {
			end = from + k
		}
		x.scanParameter(from, end)
		from = end + 1
	}
}

// scanParameter scans one name=value.
func (x *scan) scanParameter(from, to int) {
	s := x.s
	eq := strings.IndexByte(s[from:to], '=')
	if eq < 0 {
		x.removeIfSecretInside(from, to)
		return
	}
	name := unescape(s[from : from+eq])
	v := from + eq + 1
	if v == to {
		return
	}
	m := x.r.meaningOf(name)
	text := s[v:to]
	switch {
	case m.class == notSecret, m.class == secretIfRandom && !looksRandom(unescape(text)), m.class != secretIfRandom && m.excludes(text):
		x.removeIfSecretInside(v, to)
	case m.class == secretInURL && (len(text) < 8 || !looksSecret(text) && !hasCapitalAndDigit(text)):
		x.removeIfSecretInside(v, to)
	case m.class == oftenSecret && (len(text) < 2 || isPlaceholder(text)), isPlaceholder(text):
	default:
		x.remove(v, to, m.kind)
	}
}

// removeIfSecretInside removes a whole value when its decoded content has a secret.
func (x *scan) removeIfSecretInside(from, to int) {
	text := x.s[from:to]
	if to-from < 6 || isMarker(text) {
		return
	}
	found := Counts{}
	if x.st.depth < maxDepth {
		plain := unescape(text)
		for n := 0; x.r.redactString(plain, found, x.st.depth+1) == plain; n++ { // escaped more than once
			again := unescape(plain)
			if again == plain || n == 2 {
				return
			}
			plain = again
		}
	} else if !strings.Contains(text, "%") {
		return
	}
	kind := kindField
	for _, k := range sortedKinds(found) {
		kind = k
		break
	}
	x.remove(from, to, kind)
}

func sortedKinds(c Counts) []string {
	var all []string
	for kind := range c {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}
