package redact

import (
	"encoding/json"
	"strconv"
)

// Value redacts decoded JSON by the names of members and the content of strings, and returns it; maps and slices are changed in place.
// Every string and number in the value of a sensitive name is removed, also in arrays and objects, and every value that is nested deeper
// than 1,000 levels.
func (r *Redactor) Value(v any, c Counts) any {
	return r.redactValue(v, meaning{}, c, 0)
}

// redactValue redacts decoded JSON that is the value of a name with a meaning.
func (r *Redactor) redactValue(v any, m meaning, c Counts, nesting int) any {
	if nesting > maxNesting {
		c.count(kindField)
		return marker(kindField)
	}
	switch v := v.(type) {
	case map[string]any:
		r.redactObject(v, inherited(m), c, nesting)
	case []any:
		m = inherited(m)
		lines := keyLines{}
		for i := range v {
			under := m
			switch item := v[i].(type) {
			case string:
				if under = lines.next(item, m); i > 0 && under.class == notSecret {
					under = r.listOptionMeaning(v, i, item)
				}
			case []any:
				r.redactPair(item, m, c, nesting)
			}
			v[i] = r.redactValue(v[i], under, c, nesting+1)
		}
	case string:
		return r.redactDecoded(v, m, c)
	case float64:
		return r.redactNumber(v, strconv.FormatFloat(v, 'f', -1, 64), m, c)
	case json.Number:
		return r.redactNumber(v, v.String(), m, c)
	case int:
		return r.redactNumber(v, strconv.Itoa(v), m, c)
	case int64:
		return r.redactNumber(v, strconv.FormatInt(v, 10), m, c)
	case uint64:
		return r.redactNumber(v, strconv.FormatUint(v, 10), m, c)
	}
	return v
}

// listOptionMeaning returns the meaning of the string at i in a list of the words of a command: that of the option before it.
func (r *Redactor) listOptionMeaning(v []any, i int, item string) (m meaning) {
	name, ok := v[i-1].(string)
	if !ok || name == "" || name[0] != '-' || len(name) > 40 {
		return m
	}
	before := ""
	for _, w := range v[max(0, i-20) : i-1] {
		if text, ok := w.(string); ok && len(text) < 200 {
			before += text + " "
		}
	}
	return r.optionMeaning(before, name, item, m)
}

// redactPair redacts the second of two strings when the first is a sensitive name.
func (r *Redactor) redactPair(v []any, m meaning, c Counts, nesting int) {
	if len(v) != 2 || m.class != notSecret {
		return
	}
	name, named := v[0].(string)
	if text, ok := v[1].(string); ok && named {
		if under := r.meaningOf(name); under.isSecret() {
			v[1] = r.redactValue(text, under, c, nesting+1)
		}
	}
}

// redactDecoded redacts a decoded string that is the value of a name with a meaning.
func (r *Redactor) redactDecoded(s string, m meaning, c Counts) string {
	s = r.nextInStream(s, c)
	switch {
	case s == "":
		return s
	case !isSecretValue(s, m):
		return r.redactString(s, c, 0)
	case isMarker(s) || isPlaceholder(s):
		return s
	}
	c.count(m.kind)
	return marker(m.kind)
}

// redactNumber redacts a number, whose text it is given, that is the value of a name with a meaning.
func (r *Redactor) redactNumber(v any, text string, m meaning, c Counts) any {
	kind := m.kind
	switch m.class {
	case alwaysSecret, oftenSecret, secretIfNumber:
		if isCount(text, m) {
			return v
		}
	default:
		if !isCardNumber(text) {
			return v
		}
		kind = kindCard
	}
	c.count(kind)
	return marker(kind)
}

// redactObject redacts the members of a decoded object, and their names. The value of an object with a name and a value has the meaning of
// that name.
func (r *Redactor) redactObject(v map[string]any, m meaning, c Counts, nesting int) {
	named := meaning{}
	if m.class == notSecret {
		for _, name := range [...]string{"name", "key", "Name", "Key", "header", "field"} {
			if text, ok := v[name].(string); ok {
				if n := r.meaningOf(text); n.isSecret() {
					named = n
				}
			}
		}
	}
	var renamed map[string]string
	for name, item := range v {
		under := r.memberMeaning(name, m)
		switch text, ok := item.(string); {
		case ok && isJWKSecret(name, text, v["kty"] != nil):
			under = meaning{class: alwaysSecret, kind: kindKey}
		case ok && m.class == notSecret && isPackageName(name) && isVersion(text):
			under = m
		}
		switch name {
		case "value", "Value", "values":
			if named.class != notSecret {
				under = named
			}
		case "data", "stringData":
			if v["kind"] == "Secret" {
				under = meaning{class: alwaysSecret, kind: kindField}
			}
		}
		v[name] = r.redactValue(item, under, c, nesting+1)
		if len(name) >= 12 && m.class != alwaysSecret {
			if out := r.redactString(name, c, 0); out != name {
				if renamed == nil {
					renamed = map[string]string{}
				}
				renamed[name] = out
			}
		}
	}
	for name, out := range renamed {
		item := v[name]
		delete(v, name)
		free := out
		for n := 2; ; n++ {
			if _, taken := v[free]; !taken {
				break
			}
			free = out + " " + strconv.Itoa(n)
		}
		v[free] = item
	}
}
