package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

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
		if lex.In(byte(c), lex.Word) {
			t[c] = isWord
		}
	}
	for c, role := range map[byte]uint8{'=': isAssign, ':': isAssign, '<': isTag, '[': isBracket, '\\': isEscape,
		'?': isQuery, '@': isAt,
		'>': isTagEnd, '&': isEntity, wideSigns[0]: isWide} {
		t[c] = role
	}
	return t
}()

// ScanLine finds the secrets of a whole line of text, and changes the state for the next one.
func (x *Scanner) ScanLine(s string, st *State) {
	x.start(s, st)
	x.removeCells()
	x.beginTable()
	from := x.applyState()
	x.scanSpan(from)
	if n := len(s); from < n && s[n-1] == '\\' || st.shell != "" {
		x.continueCommand()
	}
}

// scanSpan scans the text from i to its end: each run of word bytes, and each other byte that may begin something.
func (x *Scanner) scanSpan(i int) {
	s := x.s
	for i < len(s) {
		switch byteRoles[s[i]] {
		case isWord:
			var sets uint16
			j := i
			for j < len(s) && byteRoles[s[j]] == isWord {
				sets |= lex.Of(s[j])
				j++
			}
			i = x.word(i, j, sets)
		case 0: // nothing begins with this byte
			i++
		default:
			i = x.punctuation(i)
		}
	}
}

// punctuation scans the byte at i, which is of no word, and returns the position at which to continue.
func (x *Scanner) punctuation(i int) int {
	s := x.s
	switch byteRoles[s[i]] {
	case isAssign:
		return x.assignment(i)
	case isTag:
		return x.element(i)
	case isTagEnd:
		return x.textOfElement(i)
	case isBracket:
		if end := lex.MarkerEnd(s, i); end > i {
			x.before, x.from, x.to = -1, -1, -1
			return end
		}
	case isEscape:
		if i+1 < len(s) && (s[i+1] == 'n' || s[i+1] == 'r' || s[i+1] == 't') {
			return i + 2
		}
	case isQuery:
		return x.query(i)
	case isWide:
		return x.wideSign(i)
	case isAt:
		x.removeDSNPassword(i)
	case isEntity:
		if n := lex.EntityLength(s, i); n > 0 {
			return i + n
		}
		if strings.HasPrefix(s[i:], "&lt;") {
			return x.escapedElement(i)
		}
	}
	return i + 1
}

// query scans the parameters that may follow the question mark at i.
func (x *Scanner) query(i int) int {
	s := x.s
	if j := lex.Run(s, i+1, lex.Word|lex.Dot); j == i+1 || j == len(s) || s[j] != '=' {
		return i + 1
	}
	stop := URLEnd(s, i)
	x.withURLMarkers(func() { x.scanParameters(i+1, stop) })
	return stop
}

// The signs of Chinese and Japanese text between a name and its value, of three bytes each.
const wideSigns = "：＝"

// wideSign scans the sign at i if it is one of wideSigns, as assignment does, and returns where to continue.
func (x *Scanner) wideSign(i int) int {
	s := x.s
	isColon := strings.HasPrefix(s[i:], wideSigns[:3])
	if !isColon && !strings.HasPrefix(s[i:], wideSigns[3:]) {
		return i + 1
	}
	v := i + 3
	x.foreignName(i)
	if x.to < 0 {
		return v
	}
	name, quoted, ok := x.nameBefore(i)
	if !ok {
		return v
	}
	m := x.nameMeaning(name, quoted)
	if !m.IsSecret() {
		return v
	}
	for v = blanksEnd(s, v); strings.HasPrefix(s[v:], "\u3000"); v = blanksEnd(s, v) {
		v += len("\u3000")
	}
	if quoted || !isColon {
		return x.removeValue(v, m, decide.Sign, false)
	}
	return x.removeValue(v, m, decide.Colon, false)
}

// word scans the word s[i:j], whose bytes are of the sets, and returns where to continue.
func (x *Scanner) word(i, j int, sets uint16) int {
	s := x.s
	p := i
	for p < j && lex.In(s[p], lex.Under) {
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
	if end := x.token(i, p, j); end > i {
		return end
	}
	if sets&lex.Digit != 0 && j > x.looked {
		if end := x.valueInProse(i, j); end > i {
			return end
		}
	}
	if p > i && p <= i+2 && s[i] == '-' {
		if end := x.option(i, p, j); end > i {
			return end
		}
	}
	if j < len(s) && lex.In(s[j], lex.Space) {
		return x.wordBeforeBlank(i, p, j)
	}
	return x.wordBeforeSign(i, j)
}

// token removes the token of a known format or the card number in the word s[i:j], whose letters begin at p. It
// returns where to continue, or i.
func (x *Scanner) token(i, p, j int) int {
	s := x.s
	if end, m := x.Set.Token(s, p); end > p {
		if m.Kind() == decide.KindKey && x.url {
			return end
		}
		x.remove(p, end, m)
		if strings.HasPrefix(s[p+1:end], "KIA") || strings.HasPrefix(s[p+1:end], "SIA") {
			x.st.aws = 3
			x.removeAWSSecret(end)
		}
		return max(j, end)
	}
	if at, end, m := x.Set.TokenWithin(s, i, j); end > at {
		x.remove(at, end, m)
		return end
	}
	if j-i > 14 && lex.IsDigit(s[j-1]) {
		x.remove(i+decide.CardStart(s[i:j]), j, decide.Card)
	}
	return i
}

// wordBeforeSign scans the word s[i:j] by the sign after it.
func (x *Scanner) wordBeforeSign(i, j int) int {
	s := x.s
	if j+1 >= len(s) {
		return j
	}
	switch c := s[j]; {
	case lex.In(c, lex.Quote) || c == '\\':
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

// wordBeforeBlank scans a word before a blank: a scheme before its credentials, an option before its value, or a
// sentence that states a password.
func (x *Scanner) wordBeforeBlank(i, p, j int) int {
	s := x.s
	v := blanksEnd(s, j)
	if v == len(s) {
		return j
	}
	name := s[p:j]
	if p > i {
		return x.optionBeforeBlank(i, p, j, v)
	}
	switch s[i] | 0x20 {
	case 'b', 't', 'd', 'n', 'a':
		if end := schemeEnd(s, i, j); end > i {
			x.remove(v, end, decide.Credentials)
			return end
		}
	case 's':
		if name == "set" && (strings.HasSuffix(s[:i], "config ") || strings.HasSuffix(s[:i], "configure ")) {
			return x.setting(v, j)
		}
	case 'v':
		if j-i == 6 && strings.EqualFold(name, "values") {
			x.insertedValues(i, v)
		} else if name == "variable" {
			x.recordName("name", v)
		}
	}
	if end := x.quotedInProse(name, i, v, j); end > j {
		return end
	}
	return x.netrc(name, i, v, j)
}

// netrc removes the password of a file of logins, in one line or several.
func (x *Scanner) netrc(name string, i, v, j int) int {
	switch name {
	case "machine", "login", "password":
	default:
		return j
	}
	s := x.s
	alone := lex.Indent(s) == i && !strings.Contains(strings.TrimRight(s[v:], " \t"), " ")
	switch {
	case name == "password" && (x.st.netrc > 0 && alone || x.isAfter(i, "machine ") && x.isAfter(i, "login ")):
		return x.removeValue(v, decide.Login, decide.Stated, false)
	case alone && name != "password":
		x.st.netrc = 5
	}
	return j
}

// optionBeforeBlank scans the option s[i:j], whose letters begin at p, before its value at v.
func (x *Scanner) optionBeforeBlank(i, p, j, v int) int {
	s := x.s
	name := s[p:j]
	if p == i+2 && name != "cookie" {
		if m := x.Set.Meaning(name); m.IsSecret() && m.Class != decide.IfNumber && m.Class != decide.UnlessNumber &&
			s[v] != '-' {
			return x.removeOptionValue(v, m)
		}
		if name != "user" && name != "proxy-user" {
			return j
		}
		return x.removeLoginPassword(v, j)
	}
	switch {
	case name == "U" || len(name) < 6 && name[len(name)-1] == 'u':
		return x.removeLoginPassword(v, j)
	case name == "b", name == "cookie":
		return x.removeCookieArgument(v, j)
	case name == "p" && (x.isAfter(i, "sshpass") || x.isAfter(i, "docker login")):
		return x.removeValue(v, decide.Login, decide.Colon, false)
	}
	return j
}

// removeOptionValue removes the value at v of an option. In a sentence about it, words follow.
func (x *Scanner) removeOptionValue(v int, m decide.Meaning) int {
	if strings.IndexByte("[{(<", x.s[v]) >= 0 {
		return x.removeValue(v, m, decide.Colon, false)
	}
	from, to, next := x.argument(v)
	in := decide.Colon
	if m.Class == decide.IfKey {
		in = decide.Member
	}
	if x.removeText(from, to, m, in) {
		return next
	}
	return v
}
