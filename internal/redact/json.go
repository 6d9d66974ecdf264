package redact

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// maxNesting bounds the depth of arrays and objects. JSON that is deeper is redacted as text.
const maxNesting = 1000

// redactJSON redacts a text that is one JSON array or object; ok is false for another text. Names, order and spacing
// stay the same.
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

// redactString redacts a text that may be JSON, such as a string in JSON.
func (r *Redactor) redactString(s string, c Counts, depth int) string {
	if len(s) < 13 && len(r.patterns) == 0 && lex.Run(s, 0, lex.Word|lex.Dot) == len(s) { // shorter than every token
		return s
	}
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

// redactScalar redacts a text that is one JSON string or number; ok is false for another text.
func (r *Redactor) redactScalar(s string, c Counts, depth int) (string, bool) {
	i := blanks(s, 0)
	if i == len(s) || s[i] != '"' && s[i] != '-' && !lex.IsDigit(s[i]) || !isJSON(s) {
		return s, false
	}
	return r.redactDocument(s, i, c, depth)
}

// redactDocument redacts valid JSON that begins at i; ok is false when it is too deep.
func (r *Redactor) redactDocument(s string, i int, c Counts, depth int) (string, bool) {
	w := walk{r: r, s: s, found: Counts{}, depth: depth, pem: strings.Contains(s, opensPEM),
		jwk: strings.Contains(s, decide.KeyType)}
	if w.value(i, under{}, 0); w.tooDeep {
		return s, false
	}
	for _, e := range w.edits {
		if e.Rule != nil {
			c.count(e.Rule, strings.Trim(s[e.Start:e.End], `"`))
		}
	}
	if c != nil {
		c.Add(w.found)
	}
	if len(w.edits) == 0 {
		return s, true
	}
	return applyEdits(s, w.edits), true
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
	edits   []find.Edit
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

// value redacts the value at i that is under a name, and returns where it ends.
func (w *walk) value(i int, u under, nesting int) int {
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
		return w.object(i, u.inside(), nesting)
	case '[':
		return w.list(i, u.inside(), nesting)
	case '"':
		end, escaped := stringEnd(s, i)
		w.text(i, end, escaped, u)
		return end
	}
	end := i
	for end < len(s) && strings.IndexByte(",]} \t\r\n", s[end]) < 0 {
		end++
	}
	if s[i] == '-' || lex.IsDigit(s[i]) {
		if rule := w.r.numberRule(s[i:end], u); rule != nil {
			w.remove(i, end, rule)
		}
	}
	return end
}

// remove replaces a value by the marker of a rule.
func (w *walk) remove(i, end int, rule *decide.Rule) {
	w.edits = append(w.edits, find.Edit{Start: i, End: end, Rule: rule, With: `"` + w.r.mark(rule, false) + `"`})
}

// list redacts the items of a list.
func (w *walk) list(i int, u under, nesting int) int {
	s := w.s
	keys := keyLines{}
	start := i
	value, named := w.pair(i)
	for i = blanks(s, i+1); s[i] != ']'; {
		item := u
		if i == value && u.Class == decide.NotSecret {
			item = named
		}
		if s[i] == '"' && u.Class == decide.NotSecret {
			item = w.afterOption(start, i, item)
		}
		w.inList = true
		if w.pem && s[i] == '"' {
			end, _ := stringEnd(s, i)
			if keys.next(s[i+1 : end-1]) {
				item = under{decide.PrivateKey, decide.Stated}
			}
		}
		i = blanks(s, w.value(i, item, nesting+1))
		if w.tooDeep {
			return len(s)
		}
		if s[i] == ',' {
			i = blanks(s, i+1)
		}
	}
	return i + 1
}

// pair reads the list at i as a pair of a name and a value, such as ["password", "x"] in a list of headers. It
// returns the index of the value, and what it is under. The index is 0 unless the list has two strings and is within
// another list.
func (w *walk) pair(i int) (value int, named under) {
	s := w.s
	if !w.inList {
		return 0, named
	}
	if i = blanks(s, i+1); s[i] != '"' {
		return 0, named
	}
	end, escaped := stringEnd(s, i)
	if value = blanks(s, end); s[value] != ',' {
		return 0, named
	}
	if value = blanks(s, value+1); s[value] != '"' {
		return 0, named
	}
	if last, _ := stringEnd(s, value); s[blanks(s, last)] != ']' {
		return 0, named
	}
	return value, w.r.underName(textOf(s, i, end, escaped))
}

// afterOption returns what the string at i is under in a list of the words of a command, which begins at start: the
// option before it.
func (w *walk) afterOption(start, i int, otherwise under) under {
	before := strings.TrimRight(w.s[max(start, i-maxCommand):i], " \t\r\n")
	if !strings.HasSuffix(before, `",`) {
		return otherwise
	}
	before = before[:len(before)-2]
	at := strings.LastIndexByte(before, '"') + 1
	if len(before)-at > 40 || at == len(before) || before[at] != '-' {
		return otherwise
	}
	end, _ := stringEnd(w.s, i)
	if m := find.OptionMeaning(w.r.set, before[:at], before[at:], w.s[i+1:end-1]); m.IsSecret() {
		return under{m, decide.Stated}
	}
	return otherwise
}

const maxCommand = 400 // bytes before an option that are searched for its command

// stringEnd returns the index after the string that begins at i, and whether it has escapes.
func stringEnd(s string, i int) (end int, escaped bool) {
	for i++; ; i++ {
		switch s[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i++
		}
	}
}

// textOf returns the text of the string s[i:end].
func textOf(s string, i, end int, escaped bool) string {
	if escaped {
		return unquote(s[i:end])
	}
	return s[i+1 : end-1]
}

// object is an object while it is read. The value of one with a name and a value, such as a header or a variable, is
// under that name. The data of a Kubernetes secret is removed.
type object struct {
	under
	named       under
	value, data place
	isSecret    bool // a Kubernetes secret
}

// place is where a value begins, and how many edits there were before.
type place struct{ at, edits int }

// object redacts an object.
func (w *walk) object(i int, u under, nesting int) int {
	s := w.s
	o := object{under: u}
	for i = blanks(s, i+1); s[i] != '}'; {
		end, escaped := stringEnd(s, i)
		name := textOf(s, i, end, escaped)
		if len(name) >= 12 && u.Class != decide.Always {
			w.memberName(i, end, name)
		}
		i = blanks(s, blanks(s, end)+1)
		w.inList = false
		i = blanks(s, w.value(i, w.memberOf(&o, name, i), nesting+1))
		if w.tooDeep {
			return len(s)
		}
		if s[i] == ',' {
			i = blanks(s, i+1)
		}
	}
	if o.named.IsSecret() && o.value.at > 0 && s[o.value.at] != '{' {
		w.redactAgain(o.value, o.named, nesting)
	}
	if o.isSecret && o.data.at > 0 && nesting < 8 {
		w.redactAgain(o.data, secretData, nesting)
	}
	return i + 1
}

// memberOf returns what the member of an object is under whose value begins at i, and records what the object is.
func (w *walk) memberOf(o *object, name string, i int) under {
	s := w.s
	text := ""
	if s[i] == '"' {
		end, escaped := stringEnd(s, i)
		switch text = s[i+1 : end-1]; {
		case len(name) < 3 && decide.IsJWKSecret(name, text, w.jwk):
			return secretJWK
		case o.Class == decide.NotSecret && decide.IsPackageName(name) && decide.IsVersion(text):
			return o.under
		case escaped:
			text = unquote(s[i:end])
		}
	}
	switch name {
	case "name", "key", "Name", "Key", "header", "field":
		if text != "" && o.Class == decide.NotSecret {
			o.named = w.r.underName(text)
		}
	case "value", "Value", "values", "val", "Val":
		o.value = place{i, len(w.edits)}
		if o.named.IsSecret() {
			return o.named
		}
	case "kind":
		o.isSecret = text == "Secret"
	case "data", "stringData":
		o.data = place{i, len(w.edits)}
		if o.isSecret {
			return secretData
		}
	}
	return w.r.member(name, o.under)
}

// redactAgain replaces the edits of a value by those that another name asks for, which may come after the value.
func (w *walk) redactAgain(p place, u under, nesting int) {
	old := w.edits[p.edits:]
	w.edits = w.edits[:p.edits:p.edits]
	end := w.value(p.at, u, nesting+1)
	for _, e := range old {
		if e.Start >= end {
			w.edits = append(w.edits, e)
		}
	}
}

// memberName redacts the name of a member that contains a token of a known format.
func (w *walk) memberName(i, end int, name string) {
	if out := w.redactString(name); out != name {
		w.edits = append(w.edits, find.Edit{Start: i, End: end, With: quoted(out)})
	}
}

func (w *walk) redactString(text string) string { return w.r.redactString(text, w.found, w.depth) }

// text redacts a string.
func (w *walk) text(i, end int, escaped bool, u under) {
	if end == i+2 {
		return
	}
	text := textOf(w.s, i, end, escaped)
	if out := w.r.nextInStream(text, w.found); out != text {
		w.edits = append(w.edits, find.Edit{Start: i, End: end, With: quoted(w.redactString(out))})
		return
	}
	if w.r.isSecret(text, u) {
		w.r.removed.add(text, u.Rule)
		w.remove(i, end, u.Rule)
		return
	}
	if len(text) < 6 {
		return
	}
	if out := w.redactString(text); out != text {
		w.edits = append(w.edits, find.Edit{Start: i, End: end, With: quoted(out)})
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
