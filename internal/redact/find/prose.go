package find

import (
	"strings"
	"unicode/utf8"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// quotedInProse removes a secret that a sentence gives to the name s[i:j] without a sign, at v: in quotes, the code
// of a card, or a password of SQL. It returns where to continue, or j.
func (x *Scanner) quotedInProse(name string, i, v, j int) int {
	s := x.s
	q := lex.In(s[v], lex.Quote)
	if !q && (!lex.IsDigit(s[v]) || len(name) > 4) {
		return j
	}
	if !q && name == "is" {
		if end := oneTimeCodeEnd(s, i, v); x.removeText(v, end, x.Set.Meaning("verificationcode"), decide.Sign) {
			return end
		}
	}
	if !x.Set.MayEndName(name) && !q {
		return j
	}
	if q && strings.EqualFold(name, "by") && x.before >= 0 && strings.EqualFold(s[x.before:i-1], "identified") &&
		s[v] != '`' {
		return x.removeValue(v, decide.SQLIdentified, decide.Stated, false)
	}
	m := x.Set.Meaning(name)
	if !q {
		next := lex.Run(s, v, lex.Word)
		isCode := next-v >= 3 && next-v <= 4 && lex.Run(s, v, lex.Digit) == next
		if !isCode || m.Class != decide.IfNumber && (m.Class != decide.Always || !strings.EqualFold(name[:2], "cv")) {
			return j
		}
		x.remove(v, next, m)
		return next
	}
	if m.Class != decide.Always {
		return j
	}
	from, to, next, _ := lex.Quoted(s, v)
	if shape := decide.ShapeOf(s[from:to]); shape == decide.Word && m.Rule.ID != "password" &&
		decide.IsPlainWord(s[from:to]) {
		return j
	}
	x.removeText(from, to, m, decide.Member)
	return next
}

// oneTimeCodeEnd returns where the code of four to eight digits at v ends that a sentence states whose verb is at i, as
// in "your verification code is 483920"; v for another number.
func oneTimeCodeEnd(s string, i, v int) int {
	end := lex.Run(s, v, lex.Word)
	if end-v < 4 || end-v > 8 || lex.Run(s, v, lex.Digit) != end {
		return v
	}
	before := strings.ToLower(s[max(0, i-20):i])
	for _, kind := range [...]string{"one-time", "one time", "verification", "security"} {
		if strings.HasSuffix(before, kind+" code ") {
			return end
		}
	}
	return v
}

// valueInProse looks for the name of a secret before or after the word s[i:j], which has a digit, and removes the
// value that the word begins if it is a secret. It returns where to continue, or i.
func (x *Scanner) valueInProse(i, j int) int {
	s := x.s
	from := i
	for from > 0 && i-from < 200 && !precedesValue[s[from-1]] {
		from--
	}
	for from < i && s[from] == '*' {
		from++
	}
	if k := strings.IndexByte(s[from:i], '/'); k > 0 && s[from+k+1:i] == "" && isUser(s[from:from+k]) { // user/password
		from += k + 1
	}
	x.looked = j
	if x.url || from > 0 && s[from-1] == '=' || isShort(s, from) || lex.MarkerEnd(s, from) > from {
		return i
	}
	var m decide.Meaning
	in := decide.InProse
	if from > 0 {
		m, in = x.namedBefore(from)
	}
	if !m.IsSecret() {
		m, in = x.namedAfter(j)
	}
	if !m.IsSecret() {
		return i
	}
	to := proseEnd(s, from, bareEnd(s, from, false))
	x.looked = max(j, to)
	text := s[from:to]
	if from >= to || x.Set.Meaning(text).IsSecret() || strings.Contains(text, lex.MarkerPrefix) {
		return i
	}
	if !x.Set.Removes(decide.Value{Meaning: m, Context: in, Text: text}) {
		return i
	}
	x.remove(from, to, m)
	return max(j, to)
}

// isUser reports whether a text may be the name or the address of a user.
func isUser(s string) bool {
	return decide.IsPlainWord(s) || strings.IndexByte(s, '@') > 0 && !lex.HasDigit(s)
}

// precedesValue are the bytes before a value in a sentence.
var precedesValue = func() (t [256]bool) {
	for c := range 256 {
		t[c] = c <= ' ' || c >= utf8.RuneSelf || strings.IndexByte("\"'`()[]{}<>|,;:=", byte(c)) >= 0
	}
	return t
}()

// isShort reports whether the word at i is too short for a secret, or a part of a time.
func isShort(s string, i int) bool {
	if i > 1 && s[i-1] == ':' && lex.IsDigit(s[i-2]) {
		return true
	}
	for k := i; k < i+4; k++ {
		if k == len(s) || lex.In(s[k], lex.Space) || s[k] == ':' {
			return true
		}
	}
	return false
}

// proseEnd returns where a value in a sentence ends, without the signs of the sentence and before Chinese or Japanese
// text.
func proseEnd(s string, from, to int) int {
	for k := from; k < to; k++ {
		if s[k] >= 0xe3 && s[k] <= 0xef && k > from {
			to = k
		}
	}
	isBold := from > 0 && s[from-1] == '*'
	for to > from && (strings.IndexByte(".,;:?", s[to-1]) >= 0 || isBold && s[to-1] == '*') {
		to--
	}
	return to
}

// The most words and signs between the name of a secret and its value in a sentence.
const maxBetween = 6

// before is what was read of a text before a value.
type before struct {
	s       string // ends where the next word or sign to the left ends
	strong  bool   // a sign of a table or an arrow was read
	account bool   // only the name of a user may precede
	told    bool   // an equals sign or a colon was read, so that the value is that of an assignment if a name precedes
	linked  bool   // a word was read
	quoted  bool   // a quote was read
	copula  bool   // a verb was read that states the value
	free    bool   // a word that is neither a name nor a link was read
}

// namedBefore returns the meaning of the name of a secret before the value that begins at i, and how certain it is
// that they belong together.
func (x *Scanner) namedBefore(i int) (m decide.Meaning, in decide.Context) {
	b := before{s: x.s[max(0, i-maxCommand):i]}
	if n := len(b.s); n > 1 && (b.s[n-1] == ':' || b.s[n-1] == '/') && lex.In(b.s[n-2], lex.Word) {
		b.s, b.account = b.s[:n-1], true
	}
	for range maxBetween {
		if !b.skipSigns() {
			break
		}
		from := b.wordStart()
		w := b.s[from:]
		if w != "" && w[len(w)-1] >= utf8.RuneSelf {
			w = strings.TrimRight(w, "はがをにでのと「『（：、是为為는은이가을를")
		}
		if w == "return" {
			return x.returnedBy(b.s[:from])
		}
		if m := x.nameEnding(b.s[:from+len(w)], from); m.IsSecret() && !b.account {
			return m, b.context(w, x.s[i:])
		}
		if b.free && isAccount(w, b.s[:from]) {
			return decide.Login, decide.InProse
		}
		if !b.skipWord(w, from) {
			break
		}
	}
	return decide.Meaning{}, 0
}

// context returns how certain it is that the name w, which was read last, belongs to the value with which a text
// begins; 0 when the value is that of an assignment, which is decided elsewhere.
func (b *before) context(w, value string) decide.Context {
	isLine := !b.linked && len(w) > 2 && strings.ToUpper(w) == w && strings.IndexByte(value, ' ') < 0 // of a protocol
	switch {
	case b.told && !b.linked && !b.strong:
		return 0
	case b.strong || b.copula || isLine:
		return decide.Colon
	}
	return decide.InProse
}

// returnedBy returns the meaning of the name of the function whose body a text begins, which returns a value.
func (x *Scanner) returnedBy(s string) (m decide.Meaning, in decide.Context) {
	open := strings.IndexByte(s, '(')
	if open < 0 || strings.Count(s, "(") > 2 {
		return m, 0
	}
	if k := strings.LastIndexByte(s, '('); strings.HasPrefix(s, "func (") {
		open = k
	}
	from := open
	for from > 0 && lex.In(s[from-1], lex.Word) {
		from--
	}
	return x.Set.Meaning(s[from:open]), decide.Colon
}

// skipSigns skips the signs and elements before a value; it reports whether a word is before them.
func (b *before) skipSigns() bool {
	for b.s != "" {
		n := len(b.s) - 1
		switch c := b.s[n]; {
		case c == '(' && n > 0 && isNameByte(b.s[n-1]) && !b.quoted: // a call
			return false
		case lex.In(c, lex.Quote):
			b.s, b.quoted = b.s[:n], true
		case lex.In(c, lex.Space), strings.IndexByte("([{*:=?", c) >= 0:
			b.s, b.told = b.s[:n], b.told || c == '=' || c == ':'
		case c == '|' || c == '>' && n > 0 && (b.s[n-1] == '-' || b.s[n-1] == '='):
			b.s, b.strong = b.s[:n], true
		case c == '-' && n > 0 && strings.IndexByte(" -", b.s[n-1]) >= 0, c == '-' && b.strong:
			b.s = b.s[:n]
		case c == '/' && n > 0 && b.s[n-1] == ' ':
			b.s, b.account = b.s[:n], true
		case c == ',' && n+1 == len(b.s) && !b.strong && n > 0 && lex.In(b.s[n-1], lex.Word):
			b.s = b.s[:n]
			return true
		case c == '>':
			open := strings.LastIndexByte(b.s[max(0, n-60):], '<')
			if open < 0 {
				return false
			}
			b.s, b.strong = b.s[:max(0, n-60)+open], true
		case strings.HasSuffix(b.s, "→"):
			b.s, b.strong = b.s[:n-2], true
		default:
			return isNameByte(c) || c == ')'
		}
	}
	return false
}

// wordStart returns where the last word begins.
func (b *before) wordStart() int {
	from := len(b.s)
	for from > 0 {
		c := b.s[from-1]
		isJoined := (c == '.' || c == '@') && from > 1 && isNameByte(b.s[from-2])
		if !isJoined && (!isNameByte(c) || c == '\'') {
			break
		}
		from--
	}
	return from
}

// skipWord skips a word that may stand between a name and its value; it reports whether it may.
func (b *before) skipWord(w string, from int) bool {
	isNumber := w != "" && len(w) < 3 && lex.Run(w, 0, lex.Digit) == len(w)
	switch {
	case w == "":
		return false
	case decide.IsLink(w), isNumber:
	case b.free:
		return false
	case b.account || isPreposition(b.s[:from]):
		b.free = true
	default:
		return false
	}
	b.s, b.linked, b.copula = b.s[:from], true, b.copula || isCopula(w)
	return true
}

// isPreposition reports whether a text ends with a word after which a person or a thing follows that has a password.
func isPreposition(s string) bool {
	s = strings.TrimRight(s, " \t")
	return decide.PrecedesOwner(s[strings.LastIndexByte(s, ' ')+1:])
}

// isAccount reports whether a word, which stands after a text, is the name of a user, or what precedes one.
func isAccount(w, before string) bool {
	if !decide.IsAccount(w) {
		return false
	}
	if strings.EqualFold(w, "as") {
		before = strings.ToLower(before[max(0, len(before)-20):])
		return strings.Contains(before, "log") || strings.Contains(before, "sign")
	}
	return true
}

// nameEnding returns the meaning of the name that ends a text, whose last word begins at from: of up to three words,
// the most certain one.
func (x *Scanner) nameEnding(s string, from int) (best decide.Meaning) {
	if from >= len(s) || lex.IsDigit(s[len(s)-1]) || !x.Set.MayEndName(s) {
		return best
	}
	for range 3 {
		m := x.Set.Meaning(s[from:])
		if m.Class == decide.Always {
			return m
		}
		if !best.IsSecret() && m.IsSecret() {
			best = m
		}
		if from < 2 || s[from-1] != ' ' && s[from-1] != '\'' {
			break
		}
		for from--; from > 0 && isNameByte(s[from-1]); {
			from--
		}
	}
	return best
}

// namedAfter returns the meaning of the name in "… as the password" after the value that ends at j.
func (x *Scanner) namedAfter(j int) (m decide.Meaning, in decide.Context) {
	s := x.s[j:min(len(x.s), j+60)]
	k := strings.IndexByte(s, ' ')
	if k < 0 || k > 30 || k+2 >= len(s) || s[k+1]|0x20 != 'a' && s[k+1]|0x20 != 'c' ||
		strings.IndexByte("sl o", s[k+2]) < 0 {
		return m, 0
	}
	fields := strings.Fields(s[k:])
	if len(fields) < 2 {
		return m, 0
	}
	switch fields[0] {
	case "as", "als", "comme", "como":
	default:
		return m, 0
	}
	for n := 2; n <= min(4, len(fields)); n++ {
		name := strings.Trim(strings.Join(fields[1:n], " "), ".,;:!?\"'`)")
		if m := x.Set.Meaning(name); m.IsSecret() {
			return m, decide.InProse
		}
	}
	return m, 0
}
