package redact

import (
	"net/url"
	"slices"
	"strings"
)

// URL redacts a URL, whole or relative: the password before its host, the values of telling
// parameters in query and fragment, and known formats wherever they are. REDACTED stands for
// what went, since brackets would have to be escaped.
func (r *Redactor) URL(s string, c Counts) string {
	if urlEnd(s, 0) < len(s) || strings.Contains(s, opening) {
		return r.Text(s, c)
	}
	return r.inURL(s, c, 0, func(x *scan) { x.address(0, len(x.s)) })
}

// inURL makes the edits that are found in a text whose markers are those of URLs.
func (r *Redactor) inURL(s string, c Counts, depth int, look func(*scan)) string {
	out, ok := settle(s, c, func(s string) []edit {
		x := scan{r: r, s: s, st: &state{depth: depth}, url: true, before: -1, from: -1, to: -1, element: -1}
		look(&x)
		x.finish()
		return x.edits
	})
	if !ok {
		return inURL
	}
	return out
}

// urlEnd returns where a URL in a text ends.
func urlEnd(s string, i int) int {
	for i < len(s) && s[i] > ' ' && strings.IndexByte("\"'<>`\\|^", s[i]) < 0 && (s[i] != '&' || entity(s, i) == 0) {
		i++
	}
	return i
}

// link looks at the URL whose scheme ends at i, and returns where to go on.
func (x *scan) link(i int) int {
	if x.to != i {
		return i + len("://")
	}
	s, from := x.s, x.from
	end := urlEnd(s, i)
	for end > i && strings.IndexByte(".,;:!?)]}*", s[end-1]) >= 0 && !endsWithMarker(s[i:end]) {
		end--
	}
	x.inURL(func() { x.address(from, end) })
	x.before, x.from, x.to = -1, -1, -1
	return max(end, i+len("://"))
}

// address looks at the URL s[a:b].
func (x *scan) address(a, b int) {
	s := x.s
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
			at = x.oddLogin(from, b)
		}
		if at >= 0 {
			x.userinfo(from, from+at)
			from += at + 1
			path = max(path, from)
		}
		host = s[from:path]
	}
	query := path
	for query < b && s[query] != '?' && s[query] != '#' {
		query++
	}
	x.path(host, path, query)
	if query == b {
		return
	}
	from := query + 1
	if hash := strings.IndexByte(s[from:b], '#'); s[query] == '?' && hash >= 0 {
		x.parameters(from, from+hash)
		from += hash + 1
	} else if s[query] == '?' {
		x.parameters(from, b)
		return
	}
	if k := strings.IndexByte(s[from:b], '?'); k >= 0 {
		x.path("", from, from+k)
		from += k + 1
	}
	x.parameters(from, b)
}

// oddLogin finds the end of a login whose password holds characters that it should not.
func (x *scan) oddLogin(from, b int) int {
	s := x.s[from:b]
	at := strings.LastIndexByte(s, '@')
	colon := strings.IndexByte(s, ':')
	if at < 0 || colon < 1 || colon > at || s[0] == '[' || place(s[colon+1:]) > 0 || strings.IndexByte(s[:colon], '/') >= 0 || number(s[colon+1:max(colon+1, strings.IndexByte(s, '/'))]) {
		return -1
	}
	return at
}

// userinfo takes the password of a login, or a login that is itself a token.
func (x *scan) userinfo(from, to int) {
	if colon := strings.IndexByte(x.s[from:to], ':'); colon >= 0 {
		if colon >= 16 {
			x.words(from, from+colon)
		}
		x.take(from+colon+1, to, kindPassword)
	} else if to-from >= 16 {
		x.take(from, to, kindPassword)
	}
}

// words looks for known formats alone.
func (x *scan) words(i, end int) {
	for i < end {
		if begins[x.s[i]] != isWord {
			i++
			continue
		}
		j := i
		for j < end && begins[x.s[j]] == isWord {
			j++
		}
		if stop, kind := known(x.s[:end], i); stop > i {
			x.take(i, stop, kind)
			j = max(j, stop)
		} else if at, stop, kind := inside(x.s[:end], i, j); stop > at {
			x.take(at, stop, kind)
			j = stop
		}
		i = j
	}
}

// path looks for tokens in a path, for those of hooks, and for parameters after a semicolon.
func (x *scan) path(host string, from, to int) {
	s := x.s
	for _, hook := range [...]struct{ host, path string }{
		{"hooks.slack.com", "/services/"}, {"discord", "/api/webhooks/"}, {"webhook.office.com", "/webhookb2/"}, {"hooks.zapier.com", "/hooks/catch/"}, {"chat.googleapis.com", "/v1/spaces/"},
	} {
		if strings.Contains(host, hook.host) && strings.HasPrefix(s[from:to], hook.path) && to-from > len(hook.path) {
			start := from + len(hook.path)
			if marked(s[start:to]) {
				return
			}
			x.take(start, to, kindToken)
			return
		}
	}
	if semi := strings.IndexByte(s[from:to], ';'); semi >= 0 {
		x.words(from, from+semi)
		for part := from + semi + 1; part < to; {
			end := to
			if k := strings.IndexAny(s[part:to], ";/"); k >= 0 {
				end = part + k
			}
			x.parameter(part, end)
			part = end + 1
		}
		return
	}
	x.words(from, to)
}

// parameters looks at name=value&name=value.
func (x *scan) parameters(from, to int) {
	for from < to {
		end := to
		if k := strings.IndexByte(x.s[from:to], '&'); k >= 0 {
			end = from + k
		}
		x.parameter(from, end)
		from = end + 1
	}
}

func (x *scan) parameter(from, to int) {
	s := x.s
	eq := strings.IndexByte(s[from:to], '=')
	if eq < 0 {
		x.content(from, to)
		return
	}
	name := unescape(s[from : from+eq])
	v := from + eq + 1
	if v == to {
		return
	}
	m := x.r.name(name)
	text := s[v:to]
	switch {
	case m.class == none, m.class == digits && !number(text), m.class == plural && number(text), m.class == opaque && !random(unescape(text)):
		x.content(v, to)
	case m.class == parameter && (len(text) < 8 || !likely(text) && !mixed(text)):
		x.content(v, to)
	case m.class == loose && (len(text) < 2 || keeps(text)), keeps(text):
	default:
		x.take(v, to, m.kind)
	}
}

// content takes a value as a whole if there is a secret in what it says.
func (x *scan) content(from, to int) {
	text := x.s[from:to]
	if to-from < 6 || marked(text) {
		return
	}
	found := Counts{}
	if x.st.depth < maxDepth {
		plain := unescape(text)
		for n := 0; x.r.inner(plain, found, x.st.depth+1) == plain; n++ { // escaped more than once
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
	for _, k := range sorted(found) {
		kind = k
		break
	}
	x.take(from, to, kind)
}

func sorted(c Counts) []string {
	var all []string
	for kind := range c {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s
	}
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}
