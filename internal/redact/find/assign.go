package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// assignment scans the '=' or ':' at i, which may follow a sensitive name and precede its secret. It returns where to
// continue.
func (x *Scanner) assignment(i int) int {
	s := x.s
	if s[i] == ':' && strings.HasPrefix(s[i:], "://") {
		return x.absoluteURL(i)
	}
	v, isSign := signEnd(s, i)
	if !isSign {
		return v
	}
	x.foreignName(i)
	if i > 0 && (s[i-1] == '!' || s[i-1] == '<' || s[i-1] == '>') || x.to < 0 ||
		strings.HasSuffix(s[:x.from], "xmlns:") {
		return i + 1
	}
	name, quoted, ok := x.nameBefore(i)
	if !ok {
		return i + 1
	}
	m := x.nameMeaning(name, quoted)
	isArrow := s[v-1] == '>' && !quoted && (x.from == 0 || s[x.from-1] != ':')
	if v = blanksEnd(s, v); isArrow && (v == len(s) || !lex.In(s[v], lex.Quote)) { // of a function
		return v
	}
	if !m.IsSecret() {
		return x.afterOtherName(name, i, v)
	}
	if quoted && strings.EqualFold(name, "key") {
		x.recordName(name, v)
	}
	return x.afterName(name, quoted, i, v, m)
}

// signEnd returns where the sign ends that begins with '=' or ':' at i; isSign is false when it compares, or belongs
// to a name.
func signEnd(s string, i int) (end int, isSign bool) {
	rest := s[i:]
	for _, sign := range [...]string{":::=", "::=", ":=", "=>"} {
		if strings.HasPrefix(rest, sign) {
			return i + len(sign), true
		}
	}
	if len(rest) > 1 && rest[1] == rest[0] { // ==, ::
		return i + 2, false
	}
	return i + 1, true
}

// afterOtherName scans the value at v of a name that is not that of a secret, whose sign is at i.
func (x *Scanner) afterOtherName(name string, i, v int) int {
	s := x.s
	if s[i] != '=' {
		return x.nameValuePair(name, v)
	}
	if name == "--user" || name == "--proxy-user" {
		return x.removeLoginPassword(v, v)
	}
	if v < len(s) && (lex.In(s[v], lex.Quote) || s[v] == '@') {
		if m := x.typedName(i); m.IsSecret() {
			if s[v] == '@' {
				v++
			}
			return x.removeValue(v, m, decide.Sign, false)
		}
	}
	return x.nameValuePair(name, v)
}

// afterName scans the value at v of the name of a secret, whose sign is at i.
func (x *Scanner) afterName(name string, quoted bool, i, v int, m decide.Meaning) int {
	s := x.s
	if v < len(s) && (s[i] == ':' || lex.In(s[v], lex.Quote)) && decide.IsPackageName(name) &&
		isVersionOfPackage(strings.TrimLeft(s[v:bareEnd(s, v, false)], "\\\"'")) {
		return v
	}
	isHeader := m.Kind() == decide.KindAuthorization || m.Kind() == decide.KindCookie
	switch {
	case quoted && v == len(s) && s[i] == ':' && lex.In(s[x.to], lex.Quote):
		x.awaitValue(m, inJSON)
		return v
	case quoted && isHeader:
		return x.credentials(name, m, v)
	case quoted && s[i] == ':':
		return x.removeValue(v, m, decide.Member, false)
	case quoted:
		return x.removeValue(v, m, decide.Sign, false)
	}
	if next := x.nameQuoteEnd(v); next > 0 {
		return x.afterQuotedName(next, name, m)
	}
	return x.unquotedName(i, v, m)
}

// isVersionOfPackage reports whether a text is a version of a package, or the architecture that it is for.
func isVersionOfPackage(s string) bool {
	s = s[strings.LastIndexByte(s, ':')+1:]
	switch strings.TrimRight(s, ",") {
	case "amd64", "arm64", "all", "any", "native", "i386", "armhf":
		return true
	}
	return decide.IsVersion(s)
}

// unquotedName scans the value at v of a name without quotes, whose sign is at i. In configuration the value may be a
// whole line, in prose only a word that looks like a secret.
func (x *Scanner) unquotedName(i, v int, m decide.Meaning) int {
	s := x.s
	v = skipBold(s, v)
	if v == len(s) && s[i] == ':' && strings.Trim(s[:x.from], " \t-") == "" && m.IsCertain() {
		x.awaitValue(m, inYAML)
		return v
	}
	if v == len(s) && v > i && m.IsCertain() && (s[i] == ':' || x.beginsLine()) {
		x.awaitValue(m, inNext)
		return v
	}
	gap, config, whole := v > i+1, x.isSetting(), x.beginsLine()
	text := s[v:bareEnd(s[:min(len(s), v+decide.MaxSentence)], v, true)]
	far := decide.ExtentOf(text, config && gap || m.Kind() == decide.KindAuthorization)
	switch {
	case m.Kind() == decide.KindAuthorization && far != decide.NoValue, m.Kind() == decide.KindCookie:
		return x.credentials(s[x.from:x.to], m, v)
	case v < len(s) && s[v] == '/' && x.namesFolder():
		return v
	case s[i] == '=':
		whole = whole && (config || gap && (far == decide.WholeText || !decide.HasCommonWord(text)))
		return x.removeValue(v, m, decide.Sign, whole && far != decide.FirstWord && m.IsCertain())
	case strings.HasPrefix(s[i+1:], "=") || strings.HasPrefix(s[i+1:], ":"): // := and ::=
		return x.removeValue(v, m, decide.Sign, false)
	case far == decide.NoValue && gap:
		return v
	}
	return x.removeValue(v, m, decide.Colon, whole && far == decide.WholeText && m.IsCertain())
}

// namesFolder reports whether the last word is a shell's variable for a folder, or the end of a path.
func (x *Scanner) namesFolder() bool {
	name := x.s[x.from:x.to]
	return name == "PWD" || name == "OLDPWD" || x.from > 0 && x.s[x.from-1] == '/'
}

// afterQuotedName scans the text after a name and its sign that are in quotes together: a sentence, the rest of a
// program, or the value.
func (x *Scanner) afterQuotedName(v int, name string, m decide.Meaning) int {
	s := x.s
	k := skipBold(s, v)
	if k < len(s) && strings.IndexByte(":=+.", s[k]) >= 0 {
		k = blanksEnd(s, k+1)
		if q, _ := lex.QuoteAt(s, k); q == 0 {
			return v
		}
	}
	q, _ := lex.QuoteAt(s, k)
	switch {
	case q == 0 && (k == len(s) || strings.IndexByte(",;()]}<>|&#/?%-\\", s[k]) >= 0):
		return v
	case m.Kind() == decide.KindAuthorization || m.Kind() == decide.KindCookie:
		return x.credentials(name, m, k)
	case q == 0 && decide.ExtentOf(s[k:min(len(s), k+decide.MaxSentence)], false) == decide.NoValue:
		return v
	case q > 0:
		return x.removeValue(k, m, decide.Sign, false)
	}
	return x.removeValue(k, m, decide.Colon, false)
}

// nameValuePair records a sensitive name that is itself a value, as in name="password" value="…", and removes the
// value that follows such a name.
func (x *Scanner) nameValuePair(name string, v int) int {
	s := x.s
	if len(name) > 7 || v >= len(s) {
		return v
	}
	if q, from := lex.QuoteAt(s, v); q > 0 && len(name) < 3 && strings.Contains("dp dq qi k", name) {
		isJWK := strings.Contains(s[max(0, v-2000):min(len(s), v+2000)], decide.KeyType)
		if decide.IsJWKSecret(name, s[from:lex.Run(s, from, lex.Word)], isJWK) {
			return x.removeValue(v, decide.JWKSecret, decide.Stated, true)
		}
	}
	switch strings.ToLower(name) {
	case "name", "key", "type", "id", "kind":
		x.recordName(name, v)
	case "value", "val", "content", "default":
		if x.st.pair > 0 {
			x.st.pair = 0
			return x.removeValue(v, decide.FormField, decide.Stated, true)
		}
	}
	return v
}

// recordName records the value at v of a member that is a name, if that is the name of a secret.
func (x *Scanner) recordName(member string, v int) {
	s := x.s
	from := v
	for from < len(s) && (lex.In(s[from], lex.Quote) || s[from] == '\\') {
		from++
	}
	to := lex.Run(s, from, lex.Word|lex.Dot)
	switch m := x.Set.Meaning(s[from:to]); {
	case m.Class == decide.Always, m.Class == decide.IfRandom, m.Class == decide.IfKey && to-from > 4,
		m.Class == decide.Often && member != "type" && member != "kind":
		x.st.pair = 2
	}
	if member == "kind" && s[from:to] == "Secret" {
		x.st.Kube = true
	}
}
