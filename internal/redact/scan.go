package redact

import "strings"

// scan scans one line, or one URL, from left to right, and collects the edits that remove its secrets.
type scan struct {
	r     *Redactor
	s     string
	st    *state
	edits []edit

	before, from, to int  // where the word before the last begins, where the last begins and ends; -1 for none
	elementText      int  // where the tag of a secret element ends; -1 for none
	url              bool // the markers are those of URLs
	midLine          bool // s begins within a line
	continues        bool // the line continues after s
	itemStart        int  // where the last item of an open list begins
}

// remove removes s[start:end], unless that is empty or a marker already.
func (x *scan) remove(start, end int, kind string) {
	if start >= end || isMarker(x.s[start:end]) {
		return
	}
	with := urlMarker
	if !x.url || x.r.traced {
		with = marker(kind)
	}
	x.edits = append(x.edits, edit{start, end, kind, with})
}

// The roles of bytes, by what they may begin.
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
	isWide
)

var byteRoles = func() (t [256]uint8) {
	for c := range 256 {
		if sets[c]&word != 0 {
			t[c] = isWord
		}
	}
	for c, role := range map[byte]uint8{'=': isAssign, ':': isAssign, '<': isTag, '[': isBracket, '\\': isEscape, '?': isQuery, '@': isAt,
		'>': isTagEnd, '&': isEntity, wideSigns[0]: isWide} {
		t[c] = role
	}
	return t
}()

// scanLine scans a whole line of text.
func (x *scan) scanLine() {
	x.before, x.from, x.to, x.elementText = -1, -1, -1, -1
	if x.applyState() {
		return
	}
	x.scanSpan(0, len(x.s))
	if n := len(x.s); n > 0 && x.s[n-1] == '\\' || x.st.shell != "" {
		x.continueCommand()
	}
}

// continueCommand records a line of a command that ends with a backslash, for its next lines.
func (x *scan) continueCommand() {
	all := x.st.shell
	x.st.shell = ""
	if s, goes := strings.CutSuffix(x.s, "\\"); goes && !x.midLine {
		if all += " " + s; len(all) < maxCommand {
			x.st.shell = all
		}
	}
}

// scanSpan scans s[i:end].
func (x *scan) scanSpan(i, end int) {
	s := x.s
	for i < end {
		switch byteRoles[s[i]] {
		case isWord:
			j := i + 1
			for j < end && byteRoles[s[j]] == isWord {
				j++
			}
			i = x.word(i, j)
		case isAssign:
			i = x.assignment(i)
		case isTag:
			i = x.element(i)
		case isTagEnd:
			i = x.textOfElement(i)
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
				x.withURLMarkers(func() { x.scanParameters(i+1, stop) })
				i = stop
			} else {
				i++
			}
		case isWide:
			i = x.wideSign(i)
		case isAt:
			x.removeDSNPassword(i)
			i++
		case isEntity:
			if n := entityLength(s, i); n == 0 && strings.HasPrefix(s[i:], "&lt;") {
				i = x.escapedElement(i)
			} else {
				i += max(1, n)
			}
		default:
			i++
		}
	}
}

// withURLMarkers calls fn, whose edits have the markers of URLs.
func (x *scan) withURLMarkers(fn func()) {
	was := x.url
	x.url = true
	fn()
	x.url = was
}

// word scans the word s[i:j], and returns where to continue.
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
	if end, kind := tokenEnd(s, p); end > p {
		if strings.HasPrefix(kind, "private") && x.url {
			return end
		}
		x.remove(p, end, kind)
		if strings.HasPrefix(s[p+1:end], "KIA") || strings.HasPrefix(s[p+1:end], "SIA") {
			x.st.aws = 3
			x.removeAWSSecret(end)
		}
		return max(j, end)
	}
	if at, end, kind := tokenWithin(s, i, j); end > at {
		x.remove(at, end, kind)
		return end
	}
	if j-i > 14 && isDigit(s[j-1]) {
		x.remove(i+cardStart(s[i:j]), j, kindCard)
	}
	if p > i && p <= i+2 && s[i] == '-' {
		if end := x.commandOption(i, j); end > i {
			return end
		}
	}
	if p == i+1 && s[p] == 'p' && s[i] == '-' && j > p+1 && x.isAfter(i, "mysql") && !strings.HasPrefix(s[p:], "port") {
		end := x.bareEnd(p+1, false)
		x.remove(p+1, end, kindField)
		return max(j, end)
	}
	if p == i+1 && s[p] == 'u' && s[i] == '-' && j < len(s) && (s[j] == ':' || j == p+1 && sets[s[j]]&quote != 0) {
		return x.removeLoginPassword(p+1, j)
	}
	if j < len(s) && sets[s[j]]&space != 0 {
		return x.wordBeforeBlank(i, p, j)
	}
	return x.wordBeforeSign(i, j)
}

// wordBeforeSign scans the word s[i:j] by the sign after it.
func (x *scan) wordBeforeSign(i, j int) int {
	s := x.s
	if j+1 >= len(s) {
		return j
	}
	switch c := s[j]; {
	case sets[c]&quote != 0 || c == '\\':
		return x.wordBeforeQuote(i, j)
	case c == '(':
		return x.call(i, j)
	case c == ',':
		return x.wordBeforeComma(i, j)
	case c == ':' && j-i == 4 && s[i:j] == "data":
		return x.dataURL(j)
	}
	return j
}

// wordBeforeBlank scans a word before a blank: a scheme before its credentials, an option before its value, or a sentence that states a
// password.
func (x *scan) wordBeforeBlank(i, p, j int) int {
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
			if m := x.r.meaningOf(name); (m.class == alwaysSecret || m.class == oftenSecret) && s[v] != '-' {
				return x.removeValue(v, m, false, false)
			}
			if name != "user" && name != "proxy-user" {
				return j
			}
			fallthrough
		case name == "U" || len(name) < 6 && name[len(name)-1] == 'u':
			return x.removeLoginPassword(v, j)
		case name == "b", name == "cookie":
			return x.removeCookieArgument(v, j)
		case name == "p" && (x.isAfter(i, "sshpass") || x.isAfter(i, "docker login")):
			return x.removeValue(v, meaning{class: alwaysSecret, kind: kindField}, false, false)
		}
		return j
	}
	switch s[i] | 0x20 {
	case 'b', 't', 'd', 'n', 'a':
		if end := x.schemeEnd(i, j); end > i {
			x.remove(run(s, j, space), end, kindAuthorization)
			return end
		}
	}
	if end := x.inSentence(name, i, v, j); end > j {
		return end
	}
	alone := indent(s) == i && !strings.Contains(strings.TrimRight(s[v:], " \t"), " ")
	switch {
	case name == "password" && (x.st.netrc > 0 && alone || x.isAfter(i, "machine ") && x.isAfter(i, "login ")):
		return x.removeValue(v, meaning{class: alwaysSecret, kind: kindField}, true, false)
	case alone && (name == "machine" || name == "login"):
		x.st.netrc = 5
	}
	return j
}

// isAfter reports whether a word is among the 1,000 bytes before i.
func (x *scan) isAfter(i int, word string) bool {
	return strings.Contains(x.s[max(0, i-1000):i], word)
}

// schemeEnd returns the end of the credentials after the authentication scheme s[i:j], or i.
func (x *scan) schemeEnd(i, j int) int {
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

// removeAWSSecret removes a text as long as a secret key of AWS, after an access key.
func (x *scan) removeAWSSecret(i int) {
	s := x.s
	for limit := min(len(s), i+300); i < limit; i++ {
		if end := run(s, i, alnum|base); end > i {
			if end-i == 41 && s[i] == '=' {
				i++
			}
			if end-i == 40 && hasCapitalAndDigit(s[i:end]) {
				x.remove(i, end, kindToken)
				return
			}
			i = end
		}
	}
}

// patterns adds the matches of the workspace's patterns. A match within a marker is ignored, and a match that reaches into a marker
// removes all of it. Masks that would make a line much longer remove it as a whole.
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
				x.remove(start, end, x.r.ownKind(ownPattern, p.index))
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

// markers returns the places of markers.
func (x *scan) markers() []edit {
	var all []edit
	for i := 0; i < len(x.s); i++ {
		end := markerEnd(x.s, i)
		if end == i && strings.HasPrefix(x.s[i:], urlMarker) {
			end = i + len(urlMarker)
		}
		if end > i {
			all = append(all, edit{start: i, end: end})
			i = end - 1
		}
	}
	return all
}
