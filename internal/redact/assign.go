package redact

import (
	"math/bits"
	"strings"
)

// assign looks at the '=' or ':' at i: what stands before it may be a telling name, and
// what stands after it the secret. It returns where to go on.
func (x *scan) assign(i int) int {
	s := x.s
	if s[i] == ':' && strings.HasPrefix(s[i:], "://") {
		return x.link(i)
	}
	if i+1 < len(s) && s[i+1] == s[i] { // ==, ::
		return i + 2
	}
	if i > 0 && (s[i-1] == '!' || s[i-1] == '<' || s[i-1] == '>') || x.to < 0 || strings.HasSuffix(s[:x.from], "xmlns:") {
		return i + 1
	}
	name, quoted, ok := x.key(i)
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
	m := x.r.name(name)
	if (m.class == none || m.class == parameter) && x.before >= 0 && !quoted {
		switch m = x.r.name(s[x.before:x.to]); strings.ToLower(name) {
		case "is", "was", "ist", "war", "lautet", "es", "est":
			m = x.r.name(s[x.before : x.from-1])
		}
	}
	if m.class == none && x.from > 0 && (s[x.from-1] >= 0x80 || s[x.from-1] == '%') {
		m = x.foreign()
	}
	v = run(s, v, space)
	if m.class == none || m.class == parameter {
		if s[i] == '=' && (name == "--user" || name == "--proxy-user") {
			return x.login(v, v)
		}
		return x.pairs(name, v)
	}
	if v < len(s) && (s[i] == ':' || sets[s[v]]&quote != 0) && packaged(name) && version(strings.TrimLeft(s[v:x.bareEnd(v, false)], "\\\"'")) {
		return v
	}
	if quoted {
		if v == len(s) && s[i] == ':' && sets[s[x.to]]&quote != 0 {
			x.awaits(m, inJSON)
			return v
		}
		if m.kind == kindAuthorization || m.kind == kindCookie {
			return x.credentials(name, m, v)
		}
		return x.value(v, m, true, false)
	}
	if next := x.closed(v); next > 0 {
		return x.beyond(next, name, m)
	}
	return x.open(i, v, m)
}

// foreign returns what a name means that has letters beyond ASCII or escapes.
func (x *scan) foreign() meaning {
	from := x.from
	for from > 0 && x.to-from < 60 && (x.s[from-1] >= 0x80 || x.s[from-1] == '%' || sets[x.s[from-1]]&word != 0) {
		from--
	}
	m := x.r.name(x.s[from:x.to])
	if m.class != none {
		x.from = from
	}
	return m
}

// open looks at the value at v of a name without quotes, whose sign is at i: where a sentence
// could stand, and where configuration could.
func (x *scan) open(i, v int, m meaning) int {
	s := x.s
	v = skip(s, v)
	if v == len(s) && s[i] == ':' && strings.Trim(s[:x.from], " \t-") == "" && m.class != digits {
		x.awaits(m, inYAML)
		return v
	}
	gap, config, whole := v > i+1, x.configures(), x.leads()
	near := scan{s: s[:min(len(s), v+maxSentence)]}
	text := s[v:near.bareEnd(v, true)]
	far := extent(text, config && gap || m.kind == kindAuthorization)
	switch {
	case m.kind == kindAuthorization && far != nothing, m.kind == kindCookie:
		return x.credentials(s[x.from:x.to], m, v)
	case v < len(s) && s[v] == '/' && (s[x.from:x.to] == "PWD" || s[x.from:x.to] == "OLDPWD"): // a shell's folder
		return v
	case s[i] == '=':
		whole = whole && (config || gap && (far == all || !grammatical(text)))
		return x.value(v, m, true, whole && far != oneWord)
	case far == nothing && gap:
		return v
	}
	return x.value(v, m, false, whole && far == all)
}

// skip steps over blanks, and over what makes a name bold.
func skip(s string, v int) int {
	for v < len(s) && s[v] == '*' {
		v++
	}
	return run(s, v, space)
}

// configures says whether the name is one that settings have: of several words, in capitals,
// or small in a line that is indented.
func (x *scan) configures() bool {
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

// key returns the name before the sign at i, and whether it stands in quotes or brackets.
func (x *scan) key(i int) (name string, quoted, ok bool) {
	s := x.s
	if i-x.to > 80 {
		return "", false, false
	}
	for k := x.to; k < i; k++ {
		switch c := s[k]; {
		case sets[c]&space != 0 || c == '*' || c == '\\' || c == '?' || c == '+':
		case sets[c]&quote != 0 || c == ']':
			quoted = true
		case c == '&' && entity(x.s, k) > 0:
			quoted = true
			k += entity(x.s, k) - 1
		default:
			return "", false, false
		}
	}
	return s[x.from:x.to], quoted, true
}

// leads says whether the name is what the line begins with, so that its value may have blanks.
func (x *scan) leads() bool {
	if x.mid {
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

// pairs remembers a telling name that stands as the value of another, as in name="password"
// value="…", and takes the value that follows one.
func (x *scan) pairs(name string, v int) int {
	s := x.s
	if len(name) > 7 || v >= len(s) {
		return v
	}
	if q, from := quoteAt(s, v); q > 0 && len(name) < 3 && strings.Contains("dp dq qi k", name) && jwk(name, s[from:run(s, from, word)], strings.Contains(s[max(0, v-2000):min(len(s), v+2000)], keyType)) {
		return x.value(v, meaning{sure, kindKey}, true, true)
	}
	switch strings.ToLower(name) {
	case "name", "key", "type", "id", "kind":
		from := v
		for from < len(s) && (sets[s[from]]&quote != 0 || s[from] == '\\') {
			from++
		}
		to := run(s, from, word|dot)
		m := x.r.name(s[from:to])
		if m.class == sure || m.class == opaque || m.class == loose && name != "type" && name != "kind" {
			x.st.pair = 2
		}
		if name == "kind" && s[from:to] == "Secret" {
			x.st.kube = true
		}
	case "value", "content":
		if x.st.pair > 0 {
			x.st.pair = 0
			return x.value(v, meaning{sure, kindField}, true, true)
		}
	}
	return v
}

// value takes the value that begins at v. A certain one stands after '=' or a name in
// quotes: it goes however it looks.
func (x *scan) value(v int, m meaning, certain, whole bool) int {
	s := x.s
	v = skip(s, v)
	if v >= len(s) {
		return v
	}
	if triple := s[v:min(len(s), v+3)]; triple == `"""` || triple == "'''" {
		return x.triple(v+3, triple, m)
	}
	if q, from := quoteAt(s, v); q > 0 {
		to, next := quoteEnd(s, v, q, from)
		if to > from {
			if gone(s[from:to], m) {
				if from+1 < to || sets[s[from]]&alnum != 0 {
					x.secret(from, to, m)
				}
			}
		}
		return max(next, from)
	}
	end := v + place(s[v:])
	if end > v && s[v] == '<' && strings.Contains(s[end:], "</"+s[v+1:end-1]+">") { // <b>
		return x.value(end, m, certain, false)
	}
	if c := s[v]; (c == '[' || c == '{' || c == '(') && end == v {
		if m.class == digits {
			return v
		}
		return x.container(v, m)
	}
	if whole && block(s[v:]) {
		x.st.block = indent(s) + 1
		return len(s)
	}
	end = x.bareEnd(v, whole)
	text := s[v:end]
	switch {
	case end == v, !certain && prose(text, whole), code(text, s[v:min(len(s), v+200)], v > 0 && s[v-1] == '=', x.to >= 0 && strings.ToUpper(s[x.from:x.to]) == s[x.from:x.to]):
		return max(v, min(end, v+1))
	case m.class == plural && number(text), m.class == digits && !number(text), m.class == opaque && !random(text):
		return v
	case m.class == loose && (number(text) && len(text) < 4 || schemed(text)):
		return v
	case m.class == loose && !certain:
		if whole && strings.IndexByte(text, ' ') >= 0 {
			end = x.bareEnd(v, false)
			text = s[v:end]
		} else if whole {
			break
		}
		if !likely(text) {
			return v
		}
	}
	x.secret(v, end, m)
	return end
}

func (x *scan) secret(from, to int, m meaning) {
	if !keeps(x.s[from:to]) {
		x.take(from, to, m.kind)
	}
}

// triple takes what stands between three quotes, on further lines too.
func (x *scan) triple(from int, quotes string, m meaning) int {
	s := x.s
	end := len(s)
	if k := strings.Index(s[from:], quotes); k >= 0 {
		end = from + k
	} else {
		x.awaits(m, inQuotes)
		if x.st.below != nil {
			x.st.below.quote = quotes
		}
	}
	x.secret(from, end, m)
	return min(len(s), end+3)
}

// container takes every value between the bracket at v and the one that closes it. In JSON
// that may be on a later line.
func (x *scan) container(v int, m meaning) int {
	return x.contained(v, 0, below{m: m, form: inJSON, indent: indent(x.s), lines: 10 * maxBelow})
}

// contained takes every value from i on, where so many brackets are open.
func (x *scan) contained(i, depth int, u below) int {
	s, m := x.s, u.m
	from := -1
	edge := i
	u.depth = depth
	flush := func(to int) {
		if from >= 0 {
			if text := strings.TrimRight(s[from:to], " \t"); m.class != plural || !number(text) {
				x.secret(from, from+len(text), m)
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
				x.secret(start, to, m)
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
		case (c == ':' || c == '=') && i+1 < len(s) && strings.IndexByte("=,;]})", s[i+1]) < 0 && (from < 0 || run(s, from, word|dot|space) == i):
			from = -1
		case from < 0 && sets[c]&space == 0 && c != '\\':
			from = i
		}
		i++
	}
	flush(i)
	named := x.from > 0 && x.to < len(s) && sets[s[x.to]]&sets[s[x.from-1]]&quote != 0
	if x.more || x.to < 0 || named && run(s, edge, space) == len(s) {
		x.st.below, x.edge = &u, edge
	}
	return i
}

// quoteAt returns the level of the quote that opens at i, from 1, and where its inside
// begins: each level of escaping doubles the backslashes before it. Zero is no quote.
func quoteAt(s string, i int) (level, from int) {
	if n := entity(s, i); n > 0 {
		return byEntity + n, i + n
	}
	n := i
	for n < len(s) && s[n] == '\\' && n-i < 64 {
		n++
	}
	if n == len(s) || sets[s[n]]&quote == 0 {
		return 0, i
	}
	if (n-i)&(n-i+1) != 0 {
		return 0, i
	}
	return bits.Len(uint(n-i)) + 1, n + 1
}

// quoteEnd returns where the inside of such a quote ends, and what comes after the closing
// one. A quote that is not closed ends with the line.
func quoteEnd(s string, i, level, from int) (to, next int) {
	if level > byEntity {
		if k := strings.Index(s[from:], s[from-(level-byEntity):from]); k >= 0 {
			return from + k, from + k + level - byEntity
		}
		return len(s), len(s)
	}
	q := s[from-1]
	for k := from; k < len(s); k++ {
		if s[k] != q {
			continue
		}
		n := k
		for n > from && s[n-1] == '\\' {
			n--
		}
		escapes := k - n
		for l := 1; l <= level; l++ {
			if escapes%2 == 0 {
				return max(from, k-(1<<(l-1)-1)), k + 1
			}
			escapes = (escapes - 1) / 2
		}
	}
	return len(s), len(s)
}

// bareEnd returns where a value without quotes that begins at v ends. One that is whole may
// have blanks in it, and ends where another name is given a value.
func (x *scan) bareEnd(v int, whole bool) int {
	s := x.s
	i := v + place(s[v:])
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '[', '$', '{':
			i += max(0, place(s[i:])-1)
		case ' ', '\t':
			if !whole || separates(s, i) {
				return i
			}
		case '"', '\'', '`', '<', '>', ')', ']', '}':
			if closes(s, i+1) {
				return i
			}
		case ',', ';', '&', '|':
			if closes(s, i+1) || names(s, i+1) {
				return i
			}
		case '\\':
			if _, from := quoteAt(s, i); from > i && closes(s, from) || i+2 < len(s) && names(s, i+2) {
				return i
			}
		}
	}
	for whole && i > v && sets[s[i-1]]&space != 0 {
		i--
	}
	return i
}

// closes says whether what begins at i can come after the end of a value.
func closes(s string, i int) bool {
	return i == len(s) || strings.IndexByte(" \t,;:)]}>\"'`.&|\\/?", s[i]) >= 0
}

// separates says whether the blank at i ends a value that may have blanks.
func separates(s string, i int) bool {
	j := run(s, i, space)
	rest := s[j:]
	for _, sign := range [...]string{"&&", "||", "| ", "#", "./", "//"} {
		if strings.HasPrefix(rest, sign) {
			return true
		}
	}
	return names(s, j)
}

// names says whether a name and the sign that gives it a value begin at i.
func names(s string, i int) bool {
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
