package find

import (
	"strings"
	"unicode/utf8"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// nameBefore returns the name before the sign at i, and whether it is in quotes or brackets.
func (x *Scanner) nameBefore(i int) (name string, quoted, ok bool) {
	s := x.s
	if i-x.to > 80 {
		return "", false, false
	}
	for k := x.to; k < i; k++ {
		switch c := s[k]; {
		case lex.In(c, lex.Space) || c == '*' || c == '\\' || c == '?' || c == '+' || c == '.' && k == i-1:
		case c == '[' && s[k+1] == ']':
			k++
		case lex.In(c, lex.Quote) || c == ']':
			quoted = true
		case c == '&' && lex.EntityLength(s, k) > 0:
			quoted = true
			k += lex.EntityLength(s, k) - 1
		default:
			return "", false, false
		}
	}
	return s[x.from:x.to], quoted, true
}

// nameMeaning returns the meaning of the last word, which is a name before a sign, or of more words with it.
func (x *Scanner) nameMeaning(name string, quoted bool) decide.Meaning {
	s := x.s
	m := x.Set.Meaning(name)
	if (!m.IsSecret() || m.Class == decide.IfKey) && x.before >= 0 {
		words := s[x.before:x.to]
		if quoted {
			words = x.quotedWords()
		}
		if !quoted && isCopula(name) {
			words = s[x.before : x.from-1]
		}
		if more := x.Set.Meaning(words); more.IsSecret() {
			m = more
		}
	}
	if m.Class == decide.NotSecret && x.from > 0 && (s[x.from-1] >= utf8.RuneSelf || s[x.from-1] == '%') {
		m = x.nonASCIIName()
	}
	return m
}

// isCopula reports whether a word is a verb between the name of a secret and the secret in a sentence.
func isCopula(w string) bool {
	switch strings.ToLower(w) {
	case "is", "was", "ist", "war", "lautet", "lautete", "es", "est", "é":
		return true
	}
	return false
}

// quotedWords returns the words in the quotes that the last word ends, or "".
func (x *Scanner) quotedWords() string {
	s := x.s
	end := x.to
	for end < len(s) && s[end] == '\\' {
		end++
	}
	if end == len(s) || !lex.In(s[end], lex.Quote) {
		return ""
	}
	from := max(0, x.to-maxForeign)
	open := strings.LastIndexByte(s[from:x.to], s[end])
	if open < 0 || from+open >= x.before {
		return ""
	}
	return s[from+open+1 : x.to]
}

// nonASCIIName returns the meaning of a name with letters beyond ASCII or with percent escapes.
func (x *Scanner) nonASCIIName() decide.Meaning {
	from := x.from
	for from > 0 && x.to-from < 60 && (x.s[from-1] >= utf8.RuneSelf || x.s[from-1] == '%' ||
		lex.In(x.s[from-1], lex.Word)) {
		from--
	}
	m := x.Set.Meaning(x.s[from:x.to])
	if m.Class != decide.NotSecret {
		x.from = from
	}
	return m
}

const maxForeign = 80 // bytes of a name

// foreignName makes a sensitive name with letters beyond ASCII before the sign at i the last word. It may have three
// words.
func (x *Scanner) foreignName(i int) {
	s := x.s
	to := i
	for to > 0 && (lex.In(s[to-1], lex.Space|lex.Quote) || s[to-1] == '*' || s[to-1] == '\\' || s[to-1] == ']') {
		to--
	}
	if to == 0 || s[to-1] < utf8.RuneSelf && (x.to != to || x.from == 0 || s[x.from-1] < utf8.RuneSelf) &&
		!x.followsForeign(to) {
		return
	}
	from := to
	for range 3 {
		for from > 0 && to-from < maxForeign && isNameByte(s[from-1]) {
			from--
		}
		if x.Set.Meaning(s[from:to]).IsSecret() {
			x.before, x.from, x.to = -1, from, to
			return
		}
		if from < 2 || s[from-1] != ' ' || !isNameByte(s[from-2]) {
			return
		}
		from--
	}
}

// followsForeign reports whether a word with letters beyond ASCII stands before the last word, as in "clé API" and
// "clé d'API".
func (x *Scanner) followsForeign(to int) bool {
	if x.to != to || x.from < 3 {
		return false
	}
	for k := x.from - 1; k >= max(0, x.from-12); k-- {
		if x.s[k] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

func isNameByte(c byte) bool { return c >= utf8.RuneSelf || lex.In(c, lex.Word) || c == '\'' }

// isSetting reports whether the name is written as settings are: in several words, in capitals, or in lower case in
// an indented line.
func (x *Scanner) isSetting() bool {
	s := x.s
	name := s[x.from:x.to]
	if x.from > 0 && (s[x.from-1] == '.' || lex.In(s[0], lex.Space) && name[0] >= 'a' &&
		strings.Trim(s[:x.from], " \t-") == "") {
		return true
	}
	lower := false
	for k := range len(name) {
		switch c := name[k]; {
		case lex.In(c, lex.Under), lower && c >= 'A' && c <= 'Z':
			return true
		case c >= 'a':
			lower = true
		}
	}
	return !lower
}

// beginsLine reports whether the line begins with the name, so that the value may have blanks.
func (x *Scanner) beginsLine() bool {
	if x.MidLine {
		return false
	}
	lead := strings.TrimLeft(x.s[:x.from], " \t-#*>$")
	for _, head := range [...]string{"export ", "set ", "env ", "arg ", "env:"} {
		if len(lead) >= len(head) && strings.EqualFold(lead[:len(head)], head) {
			lead = lead[len(head):]
			break
		}
	}
	lead = strings.TrimSuffix(lead, " ")
	return lex.Run(lead, 0, lex.Word|lex.Dot) == len(lead)
}

// nameQuoteEnd returns the index after the quote at v if it closes a quote that opens before the name, and 0 otherwise.
func (x *Scanner) nameQuoteEnd(v int) int {
	s := x.s
	level, next := lex.QuoteAt(s, v)
	for _, from := range [...]int{x.from, x.before} {
		open := from - 1
		if level == 0 || open < 0 || s[open] != s[next-1] {
			continue
		}
		for open > 0 && s[open-1] == '\\' {
			open--
		}
		if l, _ := lex.QuoteAt(s, open); l == level {
			return next
		}
	}
	return 0
}

// typedName returns the meaning of the name that is declared with a type before the sign at i: apiKey string =,
// token: String? =, Dim key As String =.
func (x *Scanner) typedName(i int) decide.Meaning {
	s := strings.TrimRight(x.s[max(0, i-maxForeign):i], " \t")
	at := len(s)
	for at > 0 && (lex.In(s[at-1], lex.Word) || strings.IndexByte("<>[]&'*?|.", s[at-1]) >= 0) {
		at--
	}
	of := s[at:]
	name := strings.TrimSuffix(strings.TrimRight(s[:at], " \t"), " &'static") // of Rust
	declared, isDeclared := strings.CutSuffix(name, ":")
	if of == "" || !isDeclared && (len(name) == at || !isTextType(of)) {
		return decide.Meaning{}
	}
	name = strings.TrimRight(strings.TrimSuffix(declared, " As"), " ?")
	from := len(name)
	for from > 0 && lex.In(name[from-1], lex.Word) {
		from--
	}
	return x.Set.Meaning(name[from:])
}

// isTextType reports whether a word is the type of a text in a language in which it follows the name.
func isTextType(s string) bool {
	switch strings.ToLower(strings.Trim(s, "[]*&?")) {
	case "string", "str", "text", "byte", "bytes", "char", "securestring", "varchar":
		return true
	}
	return false
}
