package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// ScanURL finds the secrets of a URL.
func (x *Scanner) ScanURL(s string, st *State) {
	x.start(s, st)
	x.url = true
	x.scanURL(0, len(s))
}

// ScanForm finds the secrets of name=value&name=value.
func (x *Scanner) ScanForm(s string, st *State) {
	x.start(s, st)
	x.url = true
	x.scanParameters(0, len(s))
}

// URLEnd returns where a URL in a text ends.
func URLEnd(s string, i int) int {
	for i < len(s) && !endsURL[s[i]] && (s[i] != '&' || lex.EntityLength(s, i) == 0) {
		i++
	}
	return i
}

// endsURL are the bytes that a URL in a text does not have.
var endsURL = func() (t [256]bool) {
	for c := range 256 {
		t[c] = c <= ' ' || strings.IndexByte("\"'<>`\\|^", byte(c)) >= 0
	}
	return t
}()

// WholeURLEnd returns where the URL that begins a text ends, also with a password whose characters must be escaped.
func WholeURLEnd(s string) int {
	if k := strings.Index(s[:min(len(s), 40)], "://"); k > 0 {
		return URLEnd(s, loginEnd(s, k+len("://")))
	}
	return URLEnd(s, 0)
}

// absoluteURL scans the URL whose scheme ends at i, and returns where to continue.
func (x *Scanner) absoluteURL(i int) int {
	if x.to != i {
		return i + len("://")
	}
	s, from := x.s, x.from
	host := i + len("://")
	end := URLEnd(s, loginEnd(s, host))
	if k := strings.IndexAny(s[host:end], ";/?#@"); k >= 0 &&
		(s[host+k] == ';' || strings.HasPrefix(s[host+k:], "/;")) {
		end = host + k // of a connection string
	}
	for end > i && strings.IndexByte(".,;:!?)]}*", s[end-1]) >= 0 && !lex.EndsWithMarker(s[i:end]) {
		end--
	}
	x.withURLMarkers(func() { x.scanURL(from, end) })
	x.before, x.from, x.to = -1, -1, -1
	return max(end, i+len("://"))
}

// loginEnd returns where the name and the password before a host end, also with characters that must be escaped in
// URLs, or host.
func loginEnd(s string, host int) int {
	colon := false
	for k := host; k < min(len(s), host+200); k++ {
		switch c := s[k]; {
		case c == ':':
			colon = true
		case c == '@' && colon:
			return k
		case c <= ' ' || lex.In(c, lex.Quote) || strings.IndexByte("<>/?#,;()[]{}|\\", c) >= 0:
			return host
		}
	}
	return host
}

// scanURL scans the URL s[a:b].
func (x *Scanner) scanURL(a, b int) {
	s := x.s
	if strings.HasPrefix(s[a:b], "data:") {
		if end := x.dataURL(a + len("data")); end > a+len("data") {
			a = min(end, b)
		}
	}
	host, path := x.scanAuthority(a, b)
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

// scanAuthority scans what stands before the path of the URL s[a:b], and returns the host and where the path begins.
func (x *Scanner) scanAuthority(a, b int) (host string, path int) {
	s := x.s
	k := strings.Index(s[a:b], "://")
	if k < 0 || lex.Run(s, a, lex.Word|lex.Dot|lex.Base) != a+k {
		return "", a
	}
	from := a + k + len("://")
	path = b
	if e := strings.IndexAny(s[from:b], "/?#"); e >= 0 {
		path = from + e
	}
	at := strings.LastIndexByte(s[from:path], '@')
	if at < 0 {
		at = userinfoEnd(s[from:b])
	}
	if at >= 0 {
		x.removeUserinfo(from, from+at)
		from += at + 1
		path = max(path, from)
	}
	return s[from:path], path
}

// userinfoEnd returns where the userinfo ends, from its beginning, when its password has characters that must be
// escaped in URLs; -1 when there is no userinfo.
func userinfoEnd(s string) int {
	at := strings.LastIndexByte(s, '@')
	colon := strings.IndexByte(s, ':')
	if at < 0 || colon < 1 || colon > at || s[0] == '[' || decide.TemplateEnd(s[colon+1:]) > 0 ||
		strings.IndexByte(s[:colon], '/') >= 0 {
		return -1
	}
	if port := s[colon+1 : max(colon+1, strings.IndexByte(s, '/'))]; decide.IsNumber(port) {
		return -1
	}
	return at
}

// removeUserinfo removes the password of a URL, or a user name that is itself a token.
func (x *Scanner) removeUserinfo(from, to int) {
	if colon := strings.IndexByte(x.s[from:to], ':'); colon >= 0 {
		if colon >= 16 {
			x.removeTokens(from, from+colon)
		}
		x.remove(from+colon+1, to, decide.URLPassword)
	} else if to-from >= 16 {
		x.remove(from, to, decide.URLPassword)
	}
}

// removeTokens removes tokens of known formats alone.
func (x *Scanner) removeTokens(i, end int) {
	s := x.s[:end]
	for i < end {
		j := lex.Run(s, i, lex.Word)
		if j == i {
			i++
			continue
		}
		if stop, m := x.Set.Token(s, i); stop > i {
			x.remove(i, stop, m)
			j = max(j, stop)
		} else if at, stop, m := x.Set.TokenWithin(s, i, j); stop > at {
			x.remove(at, stop, m)
			j = stop
		}
		i = j
	}
}

// scanPath removes tokens in a path, the secret part of webhook addresses, and parameters after a semicolon.
func (x *Scanner) scanPath(host string, from, to int) {
	s := x.s
	for _, hook := range x.Set.Hosts {
		if len(hook.Path) < to-from && strings.Contains(host, hook.Name) && strings.HasPrefix(s[from:to], hook.Path) {
			x.remove(from+len(hook.Path), to, decide.Meaning{Class: decide.Always, Rule: hook.Rule})
			return
		}
	}
	semi := strings.IndexByte(s[from:to], ';')
	if semi < 0 {
		x.removeTokens(from, to)
		return
	}
	x.removeTokens(from, from+semi)
	for part := from + semi + 1; part < to; {
		end := to
		if k := strings.IndexAny(s[part:to], ";/"); k >= 0 {
			end = part + k
		}
		x.scanParameter(part, end)
		part = end + 1
	}
}

// scanParameters scans name=value&name=value.
func (x *Scanner) scanParameters(from, to int) {
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
func (x *Scanner) scanParameter(from, to int) {
	s := x.s
	eq := strings.IndexByte(s[from:to], '=')
	if eq < 0 {
		x.removeIfSecretInside(from, to)
		return
	}
	v := from + eq + 1
	if v == to {
		return
	}
	m := x.Set.Meaning(decide.Unescape(s[from : from+eq]))
	text := s[v:to]
	switch {
	case m.Class == decide.NotSecret:
		x.removeIfSecretInside(v, to)
	case m.Class == decide.Often && len(text) < 2, decide.IsPlaceholder(text), lex.IsMarker(text):
	case x.Set.Removes(decide.Value{Meaning: m, Context: decide.Parameter, Text: decide.Unescape(text)}):
		x.remove(v, to, m)
	default:
		x.removeIfSecretInside(v, to)
	}
}

// removeIfSecretInside removes a whole value when its decoded content has a secret.
func (x *Scanner) removeIfSecretInside(from, to int) {
	text := x.s[from:to]
	if to-from < 6 || lex.IsMarker(text) || to-from < 20 && lex.Run(text, 0, lex.Alnum) == len(text) &&
		!lex.HasDigit(text) {
		return
	}
	if to-from < 13 && lex.Run(text, 0, lex.Digit) == len(text) {
		return
	}
	if x.Inner == nil {
		if strings.Contains(text, "%") {
			x.remove(from, to, decide.Unreadable)
		}
		return
	}
	plain := decide.Unescape(text)
	for n := 0; ; n++ { // escaped more than once
		if rule := x.Inner.Text(plain); rule != nil {
			x.remove(from, to, decide.Meaning{Class: decide.Always, Rule: rule})
			return
		}
		again := decide.Unescape(plain)
		if again == plain || n == 2 {
			return
		}
		plain = again
	}
}

// maxMediaType bounds the media type of a data URL with its parameters.
const maxMediaType = 200

// dataURL removes the data of the data URL whose scheme ends at i when a secret is in it, and returns the index after
// the data. Data without base64 and escapes is scanned like other text, and images, sound and fonts are not.
func (x *Scanner) dataURL(i int) int {
	s := x.s
	head := s[i:min(len(s), i+maxMediaType)]
	comma := strings.IndexByte(head, ',')
	if comma < 0 {
		return i
	}
	mediaType, isBase64 := strings.CutSuffix(strings.ToLower(head[1:comma]), ";base64")
	from := i + comma + 1
	if strings.ContainsAny(mediaType, " \"'<>") {
		return i
	}
	if !isBase64 {
		return x.escapedData(i, from, mediaType)
	}
	end := from
	for end < len(s) && (lex.In(s[end], lex.Base64) || s[end] == '%') {
		end++
	}
	if isSkippedType(mediaType) || x.Inner == nil {
		return end
	}
	plain, _ := lex.DecodeBase64(unescapePercent(s[from:end]))
	if strings.IndexByte(string(plain), 0) >= 0 { // binary
		return end
	}
	if rule := x.Inner.Body(mediaType, string(plain)); rule != nil {
		x.remove(from, end, decide.Meaning{Class: decide.Always, Rule: rule})
	}
	return end
}

// escapedData removes the data of the data URL whose scheme ends at i when it has percent escapes and, without them,
// a secret. It returns the index after the data, or i when it is to be scanned like other text.
func (x *Scanner) escapedData(i, from int, mediaType string) int {
	end := URLEnd(x.s, from)
	if strings.IndexByte(x.s[from:end], '%') < 0 || x.Inner == nil {
		return i
	}
	rule := x.Inner.Body(mediaType, unescapePercent(x.s[from:end]))
	if rule == nil {
		return i
	}
	x.remove(from, end, decide.Meaning{Class: decide.Always, Rule: rule})
	return end
}

// isSkippedType reports whether the data of a media type is that of images, sound or fonts, which is not decoded.
func isSkippedType(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, "/")
	switch strings.TrimSpace(kind) {
	case "image":
		return !strings.HasPrefix(mediaType, "image/svg")
	case "font", "audio", "video":
		return true
	}
	return strings.HasPrefix(mediaType, "application/font")
}

// unescapePercent decodes percent escapes, of which there are few in base64. A plus sign stays.
func unescapePercent(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	return decide.Unescape(strings.ReplaceAll(s, "+", "%2B"))
}
