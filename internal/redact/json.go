package redact

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting bounds the depth of arrays and objects. JSON that is deeper is redacted as text.
const maxNesting = 1000

// redactString redacts a text that may be JSON, such as a string in JSON.
func (r *Redactor) redactString(s string, c Counts, depth int) string {
	if depth < maxDepth {
		if out, ok := r.redactJSON(s, c, depth+1); ok {
			return out
		}
	}
	return r.redactNonJSON(s, c, depth)
}

// redactNonJSON redacts a text that is no JSON, and again as JSON if the redaction has made it JSON.
func (r *Redactor) redactNonJSON(s string, c Counts, depth int) string {
	out := r.redactText(s, c, depth)
	if out != s && depth < maxDepth {
		if again, ok := r.redactJSON(out, c, depth+1); ok {
			return again
		}
	}
	return out
}

// redactJSON redacts a text that is one JSON array or object; ok is false for another text. Names, order and spacing stay the same.
func (r *Redactor) redactJSON(s string, c Counts, depth int) (string, bool) {
	i := blanks(s, 0)
	if i == len(s) || s[i] != '{' && s[i] != '[' {
		return s, false
	}
	end := len(s) - 1
	for end > i && (s[end] == ' ' || s[end] == '\n' || s[end] == '\r' || s[end] == '\t') {
		end--
	}
	if s[end] != s[i]+2 || !isJSON(s) {
		return s, false
	}
	return r.redactDocument(s, i, c, depth)
}

// redactScalar redacts a text that is one JSON string or number; ok is false for another text.
func (r *Redactor) redactScalar(s string, c Counts, depth int) (string, bool) {
	i := blanks(s, 0)
	if i == len(s) || s[i] != '"' && s[i] != '-' && !isDigit(s[i]) || !isJSON(s) {
		return s, false
	}
	return r.redactDocument(s, i, c, depth)
}

// redactDocument redacts valid JSON that begins at i; ok is false when it is too deep.
func (r *Redactor) redactDocument(s string, i int, c Counts, depth int) (string, bool) {
	w := walk{r: r, s: s, found: Counts{}, depth: depth, pem: strings.Contains(s, opensPEM), jwk: strings.Contains(s, keyType)}
	if w.value(i, meaning{}, 0); w.tooDeep {
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

// isJSON reports whether a text is JSON, in which names may be repeated.
func isJSON(s string) bool {
	return jsontext.Value(s).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// walk is a walk through valid JSON.
type walk struct {
	r       *Redactor
	s       string
	found   Counts // in strings
	edits   []edit
	depth   int
	tooDeep bool // the JSON is deeper than maxNesting
	inList  bool // the next value is an item of a list
	jwk     bool // there is a JSON web key
	pem     bool // there may be a key whose lines are strings
}

// blanks returns the index after the white space at i.
func blanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// value redacts the value at i of a name with a meaning, and returns where it ends.
func (w *walk) value(i int, m meaning, nesting int) int {
	s := w.s
	if nesting > maxNesting {
		w.tooDeep = true
	}
	if w.tooDeep {
		return len(s)
	}
	switch s[i] {
	case '{':
		w.inList = false
		return w.object(i, inherited(m), nesting)
	case '[':
		m = inherited(m)
		lines := keyLines{}
		start := i
		value, named := w.pairMeaning(i)
		for i = blanks(s, i+1); s[i] != ']'; {
			under := m
			if i == value && m.class == notSecret {
				under = named
			}
			if s[i] == '"' && m.class == notSecret {
				under = w.listOptionMeaning(start, i, under)
			}
			w.inList = true
			if w.pem && s[i] == '"' {
				end, _ := stringEnd(s, i)
				under = lines.next(s[i+1:end-1], m)
			}
			i = blanks(s, w.value(i, under, nesting+1))
			if w.tooDeep {
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

// pairMeaning reads the list at i as a pair of a name and a value, such as ["password", "x"] in a list of headers. It returns the index of
// the value, and the meaning of the name. The index is 0 unless the list has two strings and is within another list.
func (w *walk) pairMeaning(i int) (value int, named meaning) {
	s := w.s
	if !w.inList {
		return 0, named
	}
	if i = blanks(s, i+1); s[i] != '"' {
		return 0, named
	}
	end, escaped := stringEnd(s, i)
	name := s[i+1 : end-1]
	if value = blanks(s, end); s[value] != ',' {
		return 0, named
	}
	if value = blanks(s, value+1); s[value] != '"' {
		return 0, named
	}
	if last, _ := stringEnd(s, value); s[blanks(s, last)] != ']' {
		return 0, named
	}
	if escaped {
		name = unquote(s[i:end])
	}
	if named = w.r.meaningOf(name); named.class == secretInURL {
		named = meaning{}
	}
	return value, named
}

// listOptionMeaning returns the meaning of the string at i in a list of the words of a command, which begins at start: that of the option
// before it.
func (w *walk) listOptionMeaning(start, i int, m meaning) meaning {
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
	return w.r.optionMeaning(before[:at], before[at:], w.s[i+1:end-1], m)
}

// stringEnd returns the index after the string that begins at i, and whether it has escapes.
func stringEnd(s string, i int) (end int, escaped bool) {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			escaped = true
			i++
		}
	}
	return i + 1, escaped
}

// object redacts an object. The value of an object with a name and a value, such as a header or a variable, has the meaning of that name.
// The data of a Kubernetes secret is removed.
func (w *walk) object(i int, m meaning, nesting int) int {
	s := w.s
	named := meaning{}          // of the value of "name"
	valueAt, valueEdits := 0, 0 // where the value of "value" begins
	dataAt, dataEdits := 0, 0
	secret := false
	for i = blanks(s, i+1); s[i] != '}'; {
		end, escaped := stringEnd(s, i)
		name := s[i+1 : end-1]
		if escaped {
			name = unquote(s[i:end])
		}
		if len(name) >= 12 && m.class != alwaysSecret {
			w.memberName(i, end, name)
		}
		i = blanks(s, blanks(s, end)+1)
		under := w.r.memberMeaning(name, m)
		if s[i] == '"' {
			stop, _ := stringEnd(s, i)
			switch text := s[i+1 : stop-1]; {
			case len(name) < 3 && isJWKSecret(name, text, w.jwk):
				under = meaning{class: alwaysSecret, kind: kindKey}
			case m.class == notSecret && isPackageName(name) && isVersion(text):
				under = m
			}
		}
		w.inList = false
		before := len(w.edits)
		switch name {
		case "name", "key", "Name", "Key", "header", "field":
			if s[i] == '"' && m.class == notSecret {
				stop, escaped := stringEnd(s, i)
				text := s[i+1 : stop-1]
				if escaped {
					text = unquote(s[i:stop])
				}
				named = w.r.meaningOf(text)
			}
		case "value", "Value", "values":
			valueAt, valueEdits = i, before
			if named.isSecret() {
				under = named
			}
		case "kind":
			secret = strings.HasPrefix(s[i:], `"Secret"`)
		case "data", "stringData":
			dataAt, dataEdits = i, before
			if secret {
				under = meaning{class: alwaysSecret, kind: kindField}
			}
		}
		i = blanks(s, w.value(i, under, nesting+1))
		if w.tooDeep {
			return len(s)
		}
		if s[i] == ',' {
			i = blanks(s, i+1)
		}
	}
	if named.isSecret() && valueAt > 0 && s[valueAt] != '{' {
		w.redactAgain(valueAt, valueEdits, named, nesting)
	}
	if secret && dataAt > 0 && nesting < 8 {
		w.redactAgain(dataAt, dataEdits, meaning{class: alwaysSecret, kind: kindField}, nesting)
	}
	return i + 1
}

// redactAgain replaces the edits of a value, since the edit from, by those that its meaning asks for. The meaning may come after the
// value.
func (w *walk) redactAgain(at, from int, m meaning, nesting int) {
	old := w.edits[from:]
	w.edits = w.edits[:from:from]
	end := w.value(at, m, nesting+1)
	for _, e := range old {
		if e.start >= end {
			w.edits = append(w.edits, e)
		}
	}
}

// memberName redacts the name of a member that contains a token of a known format.
func (w *walk) memberName(i, end int, name string) {
	if out := w.redactString(name); out != name {
		w.edits = append(w.edits, edit{start: i, end: end, with: quoted(out)})
	}
}

func (w *walk) redactString(text string) string { return w.r.redactString(text, w.found, w.depth) }

// text redacts a string.
func (w *walk) text(i, end int, escaped bool, m meaning) {
	if end == i+2 {
		return
	}
	raw := w.s[i+1 : end-1]
	text := raw
	if escaped {
		text = unquote(w.s[i:end])
	}
	if out := w.r.nextInStream(text, w.found); out != text {
		w.edits = append(w.edits, edit{start: i, end: end, with: quoted(w.redactString(out))})
		return
	}
	if isSecretValue(text, m) {
		if !isMarker(text) && !isPlaceholder(text) {
			w.edits = append(w.edits, edit{i, end, m.kind, `"` + marker(m.kind) + `"`})
		}
		return
	}
	if len(text) < 6 {
		return
	}
	if out := w.redactString(text); out != text {
		w.edits = append(w.edits, edit{start: i, end: end, with: quoted(out)})
	}
}

// number redacts a number.
func (w *walk) number(i, end int, m meaning) {
	switch m.class {
	case alwaysSecret, oftenSecret, secretIfNumber:
		if isCount(w.s[i:end], m) {
			return
		}
		w.edits = append(w.edits, edit{i, end, m.kind, `"` + marker(m.kind) + `"`})
	default:
		if end-i >= 13 && isCardNumber(w.s[i:end]) {
			w.edits = append(w.edits, edit{i, end, kindCard, `"` + marker(kindCard) + `"`})
		}
	}
}

// unquote decodes a JSON string.
func unquote(s string) string {
	out, err := jsontext.AppendUnquote(nil, s)
	if err != nil && len(out) == 0 {
		return s
	}
	return string(out)
}

// quoted encodes a JSON string.
func quoted(s string) string {
	out, _ := jsontext.AppendQuote(nil, s)
	return string(out)
}
