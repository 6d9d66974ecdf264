package redact

import "strings"

// assignment scans the '=' or ':' at i, which may follow a sensitive name and precede its secret. It returns where to continue.
func (x *scan) assignment(i int) int {
	s := x.s
	if s[i] == ':' && strings.HasPrefix(s[i:], "://") {
		return x.absoluteURL(i)
	}
	if i+1 < len(s) && s[i+1] == s[i] { // ==, ::
		return i + 2
	}
	x.foreignName(i)
	if i > 0 && (s[i-1] == '!' || s[i-1] == '<' || s[i-1] == '>') || x.to < 0 || strings.HasSuffix(s[:x.from], "xmlns:") {
		return i + 1
	}
	name, quoted, ok := x.nameBefore(i)
	if !ok {
		return i + 1
	}
	v := i + 1
	if v < len(s) && s[i] == ':' && s[v] == '=' {
		v++
	} else if v < len(s) && s[i] == '=' && s[v] == '>' {
		if v++; !quoted && (x.from == 0 || s[x.from-1] != ':') {
			return v
		}
	}
	m := x.nameMeaning(name, quoted)
	v = run(s, v, space)
	if !m.isSecret() {
		if s[i] == '=' && (name == "--user" || name == "--proxy-user") {
			return x.removeLoginPassword(v, v)
		}
		return x.nameValuePair(name, v)
	}
	if v < len(s) && (s[i] == ':' || sets[s[v]]&quote != 0) && isPackageName(name) &&
		isVersion(strings.TrimLeft(s[v:x.bareEnd(v, false)], "\\\"'")) {
		return v
	}
	if quoted {
		if v == len(s) && s[i] == ':' && sets[s[x.to]]&quote != 0 {
			x.awaitValue(m, inJSON)
			return v
		}
		if m.kind == kindAuthorization || m.kind == kindCookie {
			return x.credentials(name, m, v)
		}
		return x.removeValue(v, m, true, false)
	}
	if next := x.nameQuoteEnd(v); next > 0 {
		return x.afterQuotedName(next, name, m)
	}
	return x.unquotedName(i, v, m)
}

// nameMeaning returns the meaning of the last word, which is a name before a sign, or of more words with it.
func (x *scan) nameMeaning(name string, quoted bool) meaning {
	s := x.s
	m := x.r.meaningOf(name)
	if !m.isSecret() && x.before >= 0 {
		words := s[x.before:x.to]
		if quoted {
			words = x.quotedWords()
		}
		switch m = x.r.meaningOf(words); strings.ToLower(name) {
		case "is", "was", "ist", "war", "lautet", "es", "est":
			if !quoted {
				m = x.r.meaningOf(s[x.before : x.from-1])
			}
		}
	}
	if m.class == notSecret && x.from > 0 && (s[x.from-1] >= 0x80 || s[x.from-1] == '%') {
		m = x.nonASCIIName()
	}
	return m
}

// quotedWords returns the words in the quotes that the last word ends, or "".
func (x *scan) quotedWords() string {
	s := x.s
	end := x.to
	for end < len(s) && s[end] == '\\' {
		end++
	}
	if end == len(s) || sets[s[end]]&quote == 0 {
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
func (x *scan) nonASCIIName() meaning {
	from := x.from
	for from > 0 && x.to-from < 60 && (x.s[from-1] >= 0x80 || x.s[from-1] == '%' || sets[x.s[from-1]]&word != 0) {
		from--
	}
	m := x.r.meaningOf(x.s[from:x.to])
	if m.class != notSecret {
		x.from = from
	}
	return m
}

// unquotedName scans the value at v of a name without quotes, whose sign is at i. In configuration the value may be a whole line, in prose
// only a word that looks like a secret.
func (x *scan) unquotedName(i, v int, m meaning) int {
	s := x.s
	v = skipBold(s, v)
	if v == len(s) && s[i] == ':' && strings.Trim(s[:x.from], " \t-") == "" && m.class != secretIfNumber {
		x.awaitValue(m, inYAML)
		return v
	}
	gap, config, whole := v > i+1, x.isSetting(), x.beginsLine()
	near := scan{s: s[:min(len(s), v+maxSentence)]}
	text := s[v:near.bareEnd(v, true)]
	far := valueExtent(text, config && gap || m.kind == kindAuthorization)
	switch {
	case m.kind == kindAuthorization && far != extentNone, m.kind == kindCookie:
		return x.credentials(s[x.from:x.to], m, v)
	case v < len(s) && s[v] == '/' && (s[x.from:x.to] == "PWD" || s[x.from:x.to] == "OLDPWD"): // a shell's folder
		return v
	case s[i] == '=':
		whole = whole && (config || gap && (far == extentAll || !hasCommonWord(text)))
		return x.removeValue(v, m, true, whole && far != extentWord)
	case far == extentNone && gap:
		return v
	}
	return x.removeValue(v, m, false, whole && far == extentAll)
}

// skipBold returns the index of the value at v, after blanks and the asterisks of a name in bold Markdown.
func skipBold(s string, v int) int {
	for v < len(s) && s[v] == '*' {
		v++
	}
	return run(s, v, space)
}

// isSetting reports whether the name is written as settings are: in several words, in capitals, or in lower case in an indented line.
func (x *scan) isSetting() bool {
	s := x.s
	name := s[x.from:x.to]
	if x.from > 0 && (s[x.from-1] == '.' || sets[s[0]]&space != 0 && name[0] >= 'a' && strings.Trim(s[:x.from], " \t-") == "") {
		return true
	}
	lower := false
	for k := range len(name) {
		switch c := name[k]; {
		case sets[c]&under != 0, lower && c >= 'A' && c <= 'Z':
			return true
		case c >= 'a':
			lower = true
		}
	}
	return !lower
}

// isInCapitals reports whether the name has no letter in lower case.
func (x *scan) isInCapitals() bool {
	return x.to >= 0 && strings.ToUpper(x.s[x.from:x.to]) == x.s[x.from:x.to]
}

// nameBefore returns the name before the sign at i, and whether it is in quotes or brackets.
func (x *scan) nameBefore(i int) (name string, quoted, ok bool) {
	s := x.s
	if i-x.to > 80 {
		return "", false, false
	}
	for k := x.to; k < i; k++ {
		switch c := s[k]; {
		case sets[c]&space != 0 || c == '*' || c == '\\' || c == '?' || c == '+':
		case sets[c]&quote != 0 || c == ']':
			quoted = true
		case c == '&' && entityLength(x.s, k) > 0:
			quoted = true
			k += entityLength(x.s, k) - 1
		default:
			return "", false, false
		}
	}
	return s[x.from:x.to], quoted, true
}

// beginsLine reports whether the line begins with the name, so that the value may have blanks.
func (x *scan) beginsLine() bool {
	if x.midLine {
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
	return run(lead, 0, word|dot) == len(lead)
}

// nameValuePair records a sensitive name that is itself a value, as in name="password" value="…", and removes the value that follows such
// a name.
func (x *scan) nameValuePair(name string, v int) int {
	s := x.s
	if len(name) > 7 || v >= len(s) {
		return v
	}
	if q, from := quoteAt(s, v); q > 0 && len(name) < 3 && strings.Contains("dp dq qi k", name) {
		isJWK := strings.Contains(s[max(0, v-2000):min(len(s), v+2000)], keyType)
		if isJWKSecret(name, s[from:run(s, from, word)], isJWK) {
			return x.removeValue(v, meaning{class: alwaysSecret, kind: kindKey}, true, true)
		}
	}
	switch strings.ToLower(name) {
	case "name", "key", "type", "id", "kind":
		from := v
		for from < len(s) && (sets[s[from]]&quote != 0 || s[from] == '\\') {
			from++
		}
		to := run(s, from, word|dot)
		m := x.r.meaningOf(s[from:to])
		if m.class == alwaysSecret || m.class == secretIfRandom || m.class == oftenSecret && name != "type" && name != "kind" {
			x.st.pair = 2
		}
		if name == "kind" && s[from:to] == "Secret" {
			x.st.kube = true
		}
	case "value", "content":
		if x.st.pair > 0 {
			x.st.pair = 0
			return x.removeValue(v, meaning{class: alwaysSecret, kind: kindField}, true, true)
		}
	}
	return v
}

// removeValue removes the value that begins at v and returns where to continue. A value is certain after '=' or a name in quotes: it is
// removed whether or not it looks like a secret. A whole value may have blanks.
func (x *scan) removeValue(v int, m meaning, certain, whole bool) int {
	s := x.s
	v = skipBold(s, v)
	if v >= len(s) {
		return v
	}
	if triple := s[v:min(len(s), v+3)]; triple == `"""` || triple == "'''" {
		return x.removeTripleQuoted(v+3, triple, m)
	}
	if q, from := quoteAt(s, v); q > 0 {
		to, next := quoteEnd(s, v, q, from)
		if to > from {
			if isSecretValue(s[from:to], m) {
				if from+1 < to || sets[s[from]]&alnum != 0 {
					x.removeUnlessPlaceholder(from, to, m)
				}
			}
		}
		return max(next, from)
	}
	end := v + templateEnd(s[v:])
	if end > v && s[v] == '<' && strings.Contains(s[end:], "</"+s[v+1:end-1]+">") { // <b>
		return x.removeValue(end, m, certain, false)
	}
	if c := s[v]; (c == '[' || c == '{' || c == '(') && end == v {
		if m.class == secretIfNumber || m.scalar {
			return v
		}
		return x.removeBracketed(v, m)
	}
	if whole && isBlockScalar(s[v:]) {
		x.st.block = indent(s) + 1
		return len(s)
	}
	end = x.bareEnd(v, whole)
	text := s[v:end]
	switch {
	case end == v, !certain && isProse(text, whole), isCode(text, s[v:min(len(s), v+200)], v > 0 && s[v-1] == '=', x.isInCapitals()):
		return max(v, min(end, v+1))
	case m.excludes(text):
		return v
	case m.class == oftenSecret && (isNumber(text) && len(text) < 4 || isAuthScheme(text)):
		return v
	case m.class == oftenSecret && !certain:
		if whole && strings.IndexByte(text, ' ') >= 0 {
			end = x.bareEnd(v, false)
			text = s[v:end]
		} else if whole {
			break
		}
		if !looksSecret(text) {
			return v
		}
	}
	x.removeUnlessPlaceholder(v, end, m)
	return end
}

// removeUnlessPlaceholder removes s[from:to] unless it is a placeholder.
func (x *scan) removeUnlessPlaceholder(from, to int, m meaning) {
	if !isPlaceholder(x.s[from:to]) {
		x.remove(from, to, m.kind)
	}
}

// removeTripleQuoted removes the text between triple quotes, also on the following lines.
func (x *scan) removeTripleQuoted(from int, quotes string, m meaning) int {
	s := x.s
	end := len(s)
	if k := strings.Index(s[from:], quotes); k >= 0 {
		end = from + k
	} else {
		x.awaitValue(m, inQuotes)
		if x.st.continuation != nil {
			x.st.continuation.quote = quotes
		}
	}
	x.removeUnlessPlaceholder(from, end, m)
	return min(len(s), end+3)
}

// removeBracketed removes every value between the bracket at v and its closing bracket, in JSON also on later lines.
func (x *scan) removeBracketed(v int, m meaning) int {
	return x.removeInBrackets(v, 0, continuation{m: m, form: inJSON, indent: indent(x.s), lines: 10 * maxBelow})
}

// removeInBrackets removes every value from i to the end of a list or an object, of which depth brackets are open at i.
func (x *scan) removeInBrackets(i, depth int, u continuation) int {
	s, m := x.s, u.m
	from := -1
	edge := i
	u.depth = depth
	flush := func(to int) {
		if from >= 0 {
			if text := strings.TrimRight(s[from:to], " \t"); m.class != secretUnlessNumber || !isNumber(text) {
				x.removeUnlessPlaceholder(from, from+len(text), m)
			}
			from = -1
		}
	}
	for i < len(s) {
		if end := markerEnd(s, i); end > i {
			flush(i)
			i = end
			continue
		}
		q, start := quoteAt(s, i)
		switch c := s[i]; {
		case q > 0:
			flush(i)
			to, next := quoteEnd(s, i, q, start)
			if after := run(s, next, space); after >= len(s) || s[after] != ':' {
				x.removeUnlessPlaceholder(start, to, m)
			}
			i = max(next, start)
			continue
		case c == '[' || c == '{' || c == '(':
			flush(i)
			depth++
			edge, u.depth = i+1, depth
		case c == ']' || c == '}' || c == ')':
			flush(i)
			if depth--; depth == 0 {
				return i + 1
			}
			edge, u.depth = i+1, depth
		case c == ',' || c == ';':
			flush(i)
			edge, u.depth = i+1, depth
		case (c == ':' || c == '=') && i+1 < len(s) && strings.IndexByte("=,;]})", s[i+1]) < 0 &&
			(from < 0 || run(s, from, word|dot|space) == i):
			from = -1
		case from < 0 && sets[c]&space == 0 && c != '\\':
			from = i
		}
		i++
	}
	flush(i)
	named := x.from > 0 && x.to < len(s) && sets[s[x.to]]&sets[s[x.from-1]]&quote != 0
	if x.continues || x.to < 0 || named && run(s, edge, space) == len(s) {
		x.st.continuation, x.itemStart = &u, edge
	}
	return i
}

// bareEnd returns where the value without quotes that begins at v ends. A whole value may have blanks, and ends before the next
// assignment.
func (x *scan) bareEnd(v int, whole bool) int {
	s := x.s
	i := v + templateEnd(s[v:])
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '[', '$', '{':
			i += max(0, templateEnd(s[i:])-1)
		case ' ', '\t':
			if !whole || blankEndsValue(s, i) {
				return i
			}
		case '"', '\'', '`', '<', '>', ')', ']', '}':
			if endsValue(s, i+1) {
				return i
			}
		case ',', ';', '&', '|':
			if endsValue(s, i+1) || isAssignment(s, i+1) {
				return i
			}
		case '\\':
			if _, from := quoteAt(s, i); from > i && endsValue(s, from) || i+2 < len(s) && isAssignment(s, i+2) {
				return i
			}
		}
	}
	for whole && i > v && sets[s[i-1]]&space != 0 {
		i--
	}
	return i
}

// endsValue reports whether the text at i can follow a value.
func endsValue(s string, i int) bool {
	return i == len(s) || strings.IndexByte(" \t,;:)]}>\"'`.&|\\/?", s[i]) >= 0
}

// blankEndsValue reports whether the blank at i ends a value that may have blanks.
func blankEndsValue(s string, i int) bool {
	j := run(s, i, space)
	rest := s[j:]
	for _, sign := range [...]string{"&&", "||", "| ", "#", "./", "//"} {
		if strings.HasPrefix(rest, sign) {
			return true
		}
	}
	return isAssignment(s, j)
}

// isAssignment reports whether a name with '=' or ':' begins at i.
func isAssignment(s string, i int) bool {
	i = run(s, i, space)
	if i < len(s) && sets[s[i]]&quote != 0 {
		i++
	}
	end := min(len(s), i+64)
	j := run(s[:end], i, word|dot)
	if j > i && j < len(s) && sets[s[j]]&quote != 0 {
		j++
	}
	return j > i && j < len(s) && (s[j] == '=' || s[j] == ':')
}
