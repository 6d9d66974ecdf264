package redact

import "strings"

// edit replaces a stretch of text.
type edit struct {
	start, end int
	kind       string
	with       string
}

// scan looks through one line, or one URL. It notes what must go, from left to right.
type scan struct {
	r     *Redactor
	s     string
	st    *state
	edits []edit

	before, from, to int // the word before the last, the last
	element          int // where the text of a secret element begins, past its tag
	url              bool
	mid              bool // the text begins within a line
	more             bool // and goes on after it
	edge             int  // where the last item of a list began that is not closed
}

// take notes that a stretch goes, unless nothing is left of it already.
func (x *scan) take(start, end int, kind string) {
	if start >= end || marked(x.s[start:end]) {
		return
	}
	with := inURL
	if !x.url || x.r.traced {
		with = marker(kind)
	}
	x.edits = append(x.edits, edit{start, end, kind, with})
}

// What a byte may begin.
const (
	isWord = 1 + iota
	isAssign
	isTag
	isBracket
	isEscape
	isQuery
	isAt
	isTagEnd
	isEntity
)

var begins = func() (t [256]uint8) {
	for c := range 256 {
		if sets[c]&word != 0 {
			t[c] = isWord
		}
	}
	t['='], t[':'], t['<'], t['['], t['\\'], t['?'], t['@'], t['>'], t['&'] = isAssign, isAssign, isTag, isBracket, isEscape, isQuery, isAt, isTagEnd, isEntity
	return t
}()

// line looks through a whole line of text.
func (x *scan) line() {
	x.before, x.from, x.to, x.element = -1, -1, -1, -1
	if x.continued() {
		return
	}
	x.span(0, len(x.s))
	if n := len(x.s); n > 0 && x.s[n-1] == '\\' || x.st.shell != "" {
		x.shellGoesOn()
	}
}

// shellGoesOn keeps what a line says that ends with a backslash, as those of a long command do.
func (x *scan) shellGoesOn() {
	all := x.st.shell
	x.st.shell = ""
	if s, goes := strings.CutSuffix(x.s, "\\"); goes && !x.mid {
		if all += " " + s; len(all) < maxCommand {
			x.st.shell = all
		}
	}
}

// span looks through a stretch of text.
func (x *scan) span(i, end int) {
	s := x.s
	for i < end {
		switch begins[s[i]] {
		case isWord:
			j := i + 1
			for j < end && begins[s[j]] == isWord {
				j++
			}
			i = x.word(i, j)
		case isAssign:
			i = x.assign(i)
		case isTag:
			i = x.tag(i)
		case isTagEnd:
			i = x.text(i)
		case isBracket:
			if end := markerEnd(s, i); end > i {
				x.before, x.from, x.to = -1, -1, -1
				i = end
			} else {
				i++
			}
		case isEscape:
			if i+1 < end && (s[i+1] == 'n' || s[i+1] == 'r' || s[i+1] == 't') {
				i++
			}
			i++
		case isQuery:
			if j := run(s, i+1, word|dot); j > i+1 && j < end && s[j] == '=' {
				stop := urlEnd(s, i)
				x.inURL(func() { x.parameters(i+1, stop) })
				i = stop
			} else {
				i++
			}
		case isAt:
			x.account(i)
			i++
		case isEntity:
			if n := entity(s, i); n == 0 && strings.HasPrefix(s[i:], "&lt;") {
				i = x.escaped(i)
			} else {
				i += max(1, n)
			}
		default:
			i++
		}
	}
}

func (x *scan) inURL(do func()) {
	was := x.url
	x.url = true
	do()
	x.url = was
}

// word looks at the word s[i:j], and returns where to go on.
func (x *scan) word(i, j int) int {
	s := x.s
	p := i
	for p < j && (s[p] == '-' || s[p] == '_') {
		p++
	}
	if p == j {
		return j
	}
	x.before = -1
	if x.to >= 0 && i == x.to+1 && s[x.to] == ' ' {
		x.before = x.from
	}
	x.from, x.to = i, j
	if end, kind := known(s, p); end > p {
		if strings.HasPrefix(kind, "private") && x.url {
			return end
		}
		x.take(p, end, kind)
		if strings.HasPrefix(s[p+1:end], "KIA") || strings.HasPrefix(s[p+1:end], "SIA") {
			x.st.aws = 3
			x.awsSecret(end)
		}
		return max(j, end)
	}
	if at, end, kind := inside(s, i, j); end > at {
		x.take(at, end, kind)
		return end
	}
	if j-i > 14 && isDigit(s[j-1]) {
		x.take(i+cardAfter(s[i:j]), j, kindCard)
	}
	if p > i && p <= i+2 && s[i] == '-' {
		if end := x.flag(i, j); end > i {
			return end
		}
	}
	if p == i+1 && s[p] == 'p' && s[i] == '-' && j > p+1 && x.after(i, "mysql") && !strings.HasPrefix(s[p:], "port") {
		end := x.bareEnd(p+1, false)
		x.take(p+1, end, kindField)
		return max(j, end)
	}
	if p == i+1 && s[p] == 'u' && s[i] == '-' && j < len(s) && (s[j] == ':' || j == p+1 && sets[s[j]]&quote != 0) {
		return x.login(p+1, j)
	}
	if j < len(s) && sets[s[j]]&space != 0 {
		return x.spaced(i, p, j)
	}
	return x.followed(i, j)
}

// followed looks at the word s[i:j] by the sign after it.
func (x *scan) followed(i, j int) int {
	s := x.s
	if j+1 >= len(s) {
		return j
	}
	switch c := s[j]; {
	case sets[c]&quote != 0 || c == '\\':
		return x.quoted(i, j)
	case c == '(':
		return x.call(i, j)
	case c == ',':
		return x.constant(i, j)
	case c == ':' && j-i == 4 && s[i:j] == "data":
		return x.data(j)
	}
	return j
}

// data steps over the bytes of an image, which are no text.
func (x *scan) data(i int) int {
	s := x.s
	for _, kind := range [...]string{":image/", ":font/", ":audio/", ":video/", ":application/font", ":application/octet-stream"} {
		if strings.HasPrefix(s[i:], kind) {
			if comma := strings.Index(s[i:min(len(s), i+100)], ";base64,"); comma >= 0 {
				return run(s, i+comma+len(";base64,"), alnum|base|under)
			}
		}
	}
	return i
}

// spaced looks at a word that a blank follows: a scheme before its credentials, an option
// before its value, a statement that sets a password.
func (x *scan) spaced(i, p, j int) int {
	s := x.s
	v := run(s, j, space)
	if v == len(s) {
		return j
	}
	name := s[p:j]
	if name == "set" && (strings.HasSuffix(s[:i], "config ") || strings.HasSuffix(s[:i], "configure ")) {
		return x.setting(v, j)
	}
	if p > i {
		switch {
		case p == i+2 && name != "cookie":
			if m := x.r.name(name); (m.class == sure || m.class == loose) && s[v] != '-' {
				return x.value(v, m, false, false)
			}
			if name != "user" && name != "proxy-user" {
				return j
			}
			fallthrough
		case name == "U" || len(name) < 6 && name[len(name)-1] == 'u':
			return x.login(v, j)
		case name == "b", name == "cookie":
			return x.jar(v, j)
		case name == "p" && (x.after(i, "sshpass") || x.after(i, "docker login")):
			return x.value(v, meaning{sure, kindField}, false, false)
		}
		return j
	}
	switch s[i] | 0x20 {
	case 'b', 't', 'd', 'n', 'a':
		if end := x.scheme(i, j); end > i {
			x.take(run(s, j, space), end, kindAuthorization)
			return end
		}
	}
	if end := x.stated(name, i, v, j); end > j {
		return end
	}
	alone := indent(s) == i && !strings.Contains(strings.TrimRight(s[v:], " \t"), " ")
	switch {
	case name == "password" && (x.st.netrc > 0 && alone || x.after(i, "machine ") && x.after(i, "login ")):
		return x.value(v, meaning{sure, kindField}, true, false)
	case alone && (name == "machine" || name == "login"):
		x.st.netrc = 5
	}
	return j
}

// after says whether a word stands before i, and not too far.
func (x *scan) after(i int, word string) bool {
	return strings.Contains(x.s[max(0, i-1000):i], word)
}

// scheme returns the end of the credentials after the name of a scheme, s[i:j], or i.
func (x *scan) scheme(i, j int) int {
	s := x.s
	v := run(s, j, space)
	var end int
	if m := markerEnd(s, v); m > v {
		return m
	}
	switch name := s[i:j]; {
	case strings.EqualFold(name, "bearer"):
		end = run(s, v, word|base|dot)
		if end-v < 8 || end-v < 24 && !strings.ContainsAny(s[v:end], "0123456789") || strings.HasPrefix(s[v:], "realm=") {
			return i
		}
	case strings.EqualFold(name, "token"):
		end = run(s, v, word|base|dot)
		if end-v < 20 || !strings.ContainsAny(s[v:end], "0123456789") {
			return i
		}
	case strings.EqualFold(name, "basic"), strings.EqualFold(name, "negotiate"), strings.EqualFold(name, "apikey"):
		end = run(s, v, word|base)
		if end-v < 8 || !strings.ContainsAny(s[v:end], "0123456789=") || strings.HasPrefix(s[v:], "realm=") {
			return i
		}
	case strings.EqualFold(name, "digest") && strings.HasPrefix(s[v:], "username="),
		strings.EqualFold(name, "aws4-hmac-sha256") && strings.HasPrefix(s[v:], "Credential="):
		end = len(s)
		if k := strings.LastIndexAny(s[v:], "\"'"); k >= 0 && strings.IndexByte(s[v+k:], '=') < 0 && strings.Count(s[v:], "'") == 1 {
			end = v + k
		}
	default:
		return i
	}
	return end
}

// awsSecret takes what is as long as a secret key in the text after an access key.
func (x *scan) awsSecret(i int) {
	s := x.s
	for limit := min(len(s), i+300); i < limit; i++ {
		if end := run(s, i, alnum|base); end > i {
			if end-i == 41 && s[i] == '=' {
				i++
			}
			if end-i == 40 && mixed(s[i:end]) {
				x.take(i, end, kindToken)
				return
			}
			i = end
		}
	}
}

// patterns notes the matches of a workspace's own patterns. A match that lies in a marker is
// left, and one that reaches into a marker takes all of it. Masks that would make much more of
// a line than it was take the line as a whole.
func (x *scan) patterns() {
	markers, growth := x.markers(), 0
	for _, p := range x.r.patterns {
		matches, ok := p.find(x.s, x.r.work)
		if !ok {
			x.edits = []edit{{0, len(x.s), kindLine, marker(kindLine)}}
			return
		}
		next := 0
		for _, at := range matches {
			start, end := at[2*p.group], at[2*p.group+1]
			if start < 0 {
				continue
			}
			for next < len(markers) && markers[next].end <= start {
				next++
			}
			inside := false
			for _, m := range markers[next:] {
				if m.start >= end {
					break
				}
				inside = inside || m.start <= start && end <= m.end
				start, end = min(start, m.start), max(end, m.end)
			}
			switch {
			case inside, start >= end:
			case p.mask == "" || x.url || x.r.traced:
				x.take(start, end, x.r.ownKind(ownPattern, p.index))
			case x.s[start:end] != p.mask:
				x.edits = append(x.edits, edit{start, end, kindRule, p.mask})
				growth += len(p.mask) - (end - start)
			}
		}
		if growth > 4*len(x.s)+maxGrowth {
			x.edits = []edit{{0, len(x.s), kindLine, marker(kindLine)}}
			return
		}
	}
}

const maxGrowth = 32 // bytes that a short line may always grow by

// markers returns where what stands for secrets is.
func (x *scan) markers() []edit {
	var all []edit
	for i := 0; i < len(x.s); i++ {
		end := markerEnd(x.s, i)
		if end == i && strings.HasPrefix(x.s[i:], inURL) {
			end = i + len(inURL)
		}
		if end > i {
			all = append(all, edit{start: i, end: end})
			i = end - 1
		}
	}
	return all
}

// apply returns the text with its edits made.
func apply(s string, edits []edit) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, e := range edits {
		b.WriteString(s[at:e.start])
		b.WriteString(e.with)
		at = e.end
	}
	b.WriteString(s[at:])
	return b.String()
}
