package redact

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting bounds how deep arrays and objects may stand in each other. What is deeper is
// no JSON to this package, and is redacted as text.
const maxNesting = 1000

// inner redacts a text that may hold JSON, as the strings of JSON do.
func (r *Redactor) inner(s string, c Counts, depth int) string {
	if depth < maxDepth {
		if out, ok := r.json(s, c, depth+1); ok {
			return out
		}
	}
	return r.plain(s, c, depth)
}

// plain redacts a text that is no JSON, and once more if that made it JSON.
func (r *Redactor) plain(s string, c Counts, depth int) string {
	out := r.text(s, c, depth)
	if out != s && depth < maxDepth {
		if again, ok := r.json(out, c, depth+1); ok {
			return again
		}
	}
	return out
}

// json redacts a text that is one JSON array or object, and says whether it was one. Names,
// order and spacing stay as they are.
func (r *Redactor) json(s string, c Counts, depth int) (string, bool) {
	i := blanks(s, 0)
	if i == len(s) || s[i] != '{' && s[i] != '[' {
		return s, false
	}
	end := len(s) - 1
	for end > i && (s[end] == ' ' || s[end] == '\n' || s[end] == '\r' || s[end] == '\t') {
		end--
	}
	if s[end] != s[i]+2 || !valid(s) {
		return s, false
	}
	return r.document(s, i, c, depth)
}

// scalar redacts a text that is one JSON string or number.
func (r *Redactor) scalar(s string, c Counts, depth int) (string, bool) {
	i := blanks(s, 0)
	if i == len(s) || s[i] != '"' && s[i] != '-' && !isDigit(s[i]) || !valid(s) {
		return s, false
	}
	return r.document(s, i, c, depth)
}

func (r *Redactor) document(s string, i int, c Counts, depth int) (string, bool) {
	w := walk{r: r, s: s, found: Counts{}, depth: depth, pem: strings.Contains(s, opensPEM), jwk: strings.Contains(s, keyType)}
	if w.value(i, meaning{}, 0); w.deep {
		return s, false
	}
	for _, e := range w.edits {
		if e.kind != "" {
			c.count(e.kind)
		}
	}
	if c != nil {
		c.Add(w.found)
	}
	if len(w.edits) == 0 {
		return s, true
	}
	return apply(s, w.edits), true
}

func valid(s string) bool {
	return jsontext.Value(s).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// walk goes through valid JSON.
type walk struct {
	r     *Redactor
	s     string
	found Counts // in strings
	edits []edit
	depth int
	deep  bool
	list  bool // what comes stands in a list
	jwk   bool // there is a JSON web key
	pem   bool // there may be a key whose lines are strings
}

func blanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// value goes through the value at i, which stands under a name that means m, and returns
// where it ends.
func (w *walk) value(i int, m meaning, nesting int) int {
	s := w.s
	if nesting > maxNesting {
		w.deep = true
	}
	if w.deep {
		return len(s)
	}
	switch s[i] {
	case '{':
		w.list = false
		return w.object(i, within(m), nesting)
	case '[':
		m = within(m)
		lines := keyLines{}
		start := i
		second, named := w.pair(i)
		for i = blanks(s, i+1); s[i] != ']'; {
			under := m
			if i == second && m.class == none {
				under = named
			}
			if s[i] == '"' && m.class == none {
				under = w.option(start, i, under)
			}
			w.list = true
			if w.pem && s[i] == '"' {
				end, _ := stringEnd(s, i)
				under = lines.next(s[i+1:end-1], m)
			}
			i = blanks(s, w.value(i, under, nesting+1))
			if w.deep {
				return len(s)
			}
			if s[i] == ',' {
				i = blanks(s, i+1)
			}
		}
		return i + 1
	case '"':
		end, escaped := stringEnd(s, i)
		w.text(i, end, escaped, m)
		return end
	}
	end := i
	for end < len(s) && strings.IndexByte(",]} \t\r\n", s[end]) < 0 {
		end++
	}
	if s[i] == '-' || isDigit(s[i]) {
		w.number(i, end, m)
	}
	return end
}

// pair looks at a list in a list: of two strings the first may name the second, which begins
// at the place returned.
func (w *walk) pair(i int) (second int, named meaning) {
	s := w.s
	if !w.list {
		return 0, named
	}
	if i = blanks(s, i+1); s[i] != '"' {
		return 0, named
	}
	end, escaped := stringEnd(s, i)
	name := s[i+1 : end-1]
	if second = blanks(s, end); s[second] != ',' {
		return 0, named
	}
	if second = blanks(s, second+1); s[second] != '"' {
		return 0, named
	}
	if last, _ := stringEnd(s, second); s[blanks(s, last)] != ']' {
		return 0, named
	}
	if escaped {
		name = unquote(s[i:end])
	}
	if named = w.r.name(name); named.class == parameter {
		named = meaning{}
	}
	return second, named
}

// option returns what the string at i means in a list of the words of a command, which begins at start:
// that of the option before it.
func (w *walk) option(start, i int, m meaning) meaning {
	before := strings.TrimRight(w.s[max(start, i-maxCommand):i], " \t\r\n")
	if !strings.HasSuffix(before, `",`) {
		return m
	}
	before = before[:len(before)-2]
	at := strings.LastIndexByte(before, '"') + 1
	if len(before)-at > 40 || at == len(before) || before[at] != '-' {
		return m
	}
	end, _ := stringEnd(w.s, i)
	return w.r.option(before[:at], before[at:], w.s[i+1:end-1], m)
}

func stringEnd(s string, i int) (end int, escaped bool) {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			escaped = true
			i++
		}
	}
	return i + 1, escaped
}

// object goes through an object. One that has a name and a value, as headers, variables and
// parameters are listed, is read as one member; the data of a Kubernetes secret go.
func (w *walk) object(i int, m meaning, nesting int) int {
	s := w.s
	named := meaning{}          // what the value of "name" means
	valueAt, valueEdits := 0, 0 // where the value of "value" is
	dataAt, dataEdits := 0, 0
	secret := false
	for i = blanks(s, i+1); s[i] != '}'; {
		end, escaped := stringEnd(s, i)
		name := s[i+1 : end-1]
		if escaped {
			name = unquote(s[i:end])
		}
		if len(name) >= 12 && m.class != sure {
			w.key(i, end, name)
		}
		i = blanks(s, blanks(s, end)+1)
		under := w.r.name(name)
		if under.class == none || under.class == parameter {
			under = m
			if under.class == loose {
				under.class = sure
			}
		}
		if s[i] == '"' {
			stop, _ := stringEnd(s, i)
			switch text := s[i+1 : stop-1]; {
			case len(name) < 3 && jwk(name, text, w.jwk):
				under = meaning{sure, kindKey}
			case m.class == none && packaged(name) && version(text):
				under = m
			}
		}
		w.list = false
		before := len(w.edits)
		switch name {
		case "name", "key", "Name", "Key", "header", "field":
			if s[i] == '"' && m.class == none {
				stop, escaped := stringEnd(s, i)
				text := s[i+1 : stop-1]
				if escaped {
					text = unquote(s[i:stop])
				}
				named = w.r.name(text)
			}
		case "value", "Value", "values":
			valueAt, valueEdits = i, before
			if named.class != none && named.class != parameter {
				under = named
			}
		case "kind":
			secret = strings.HasPrefix(s[i:], `"Secret"`)
		case "data", "stringData":
			dataAt, dataEdits = i, before
			if secret {
				under = meaning{sure, kindField}
			}
		}
		i = blanks(s, w.value(i, under, nesting+1))
		if w.deep {
			return len(s)
		}
		if s[i] == ',' {
			i = blanks(s, i+1)
		}
	}
	if named.class != none && named.class != parameter && valueAt > 0 && s[valueAt] != '{' {
		w.again(valueAt, valueEdits, named, nesting)
	}
	if secret && dataAt > 0 && nesting < 8 {
		w.again(dataAt, dataEdits, meaning{sure, kindField}, nesting)
	}
	return i + 1
}

// again goes through a value once more, now that more is known of it.
func (w *walk) again(at, from int, m meaning, nesting int) {
	old := w.edits[from:]
	w.edits = w.edits[:from:from]
	end := w.value(at, m, nesting+1)
	for _, e := range old {
		if e.start >= end {
			w.edits = append(w.edits, e)
		}
	}
}

// key redacts a member's name, if it holds a known format.
func (w *walk) key(i, end int, name string) {
	if out := w.content(name); out != name {
		w.edits = append(w.edits, edit{start: i, end: end, with: quoted(out)})
	}
}

func (w *walk) content(text string) string { return w.r.inner(text, w.found, w.depth) }

func (w *walk) text(i, end int, escaped bool, m meaning) {
	if end == i+2 {
		return
	}
	raw := w.s[i+1 : end-1]
	text := raw
	if escaped {
		text = unquote(w.s[i:end])
	}
	if gone(text, m) {
		if !marked(text) && !keeps(text) {
			w.edits = append(w.edits, edit{i, end, m.kind, `"` + marker(m.kind) + `"`})
		}
		return
	}
	if len(text) < 6 {
		return
	}
	if out := w.content(text); out != text {
		w.edits = append(w.edits, edit{start: i, end: end, with: quoted(out)})
	}
}

// gone says whether a string that stands under a name with a meaning goes as a whole.
func gone(text string, m meaning) bool {
	switch m.class {
	case sure, loose:
		if m.class == loose && extent(text, true) == nothing {
			return false
		}
		if m.kind == kindAuthorization {
			if name, rest, ok := strings.Cut(text, " "); ok && schemed(name) && marked(rest) {
				return false
			}
		}
		return true
	case digits:
		return number(text)
	case plural:
		return !number(text)
	case opaque:
		return random(text)
	}
	return false
}

func (w *walk) number(i, end int, m meaning) {
	switch m.class {
	case sure, loose, digits:
		if kept(w.s[i:end], m) {
			return
		}
		w.edits = append(w.edits, edit{i, end, m.kind, `"` + marker(m.kind) + `"`})
	default:
		if end-i >= 13 && cardNumber(w.s[i:end]) {
			w.edits = append(w.edits, edit{i, end, kindCard, `"` + marker(kindCard) + `"`})
		}
	}
}

// kept says whether a number is a count or a state although its name could be a secret's.
func kept(number string, m meaning) bool {
	switch m.class {
	case loose:
		return len(number) < 3
	case digits:
		return len(number) < 3 || strings.Trim(number, "0123456789") != ""
	}
	return false
}

// within is what a name means for what lies in the array or object that stands under it.
func within(m meaning) meaning {
	if m.class == digits {
		return meaning{}
	}
	return m
}

func unquote(s string) string {
	out, err := jsontext.AppendUnquote(nil, s)
	if err != nil && len(out) == 0 {
		return s
	}
	return string(out)
}

func quoted(s string) string {
	out, _ := jsontext.AppendQuote(nil, s)
	return string(out)
}
