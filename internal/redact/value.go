package redact

import (
	"encoding/json"
	"strconv"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// Value redacts decoded JSON by the names of members and the content of strings, and returns it; maps and slices are
// changed in place. What is in the list or the object of a sensitive name is removed when it looks like a secret, and
// every value that is nested deeper than 1,000 levels.
func (r *Redactor) Value(v any, c Counts) any {
	return r.againIn(r.Report(), c, func(r *Redactor) any { return r.redactAny(v, c) })
}

// redactAny redacts decoded JSON that is in no other value.
func (r *Redactor) redactAny(v any, c Counts) any { return r.redactValue(v, under{}, c, 0) }

// againIn redacts decoded JSON, and once more by the values that were removed from it.
func (*Redactor) againIn(r *Redactor, c Counts, redact func(r *Redactor) any) any {
	v := redact(r)
	if len(r.removed.values) == 0 {
		return v
	}
	return r.againValue(v, c)
}

func (r *Redactor) againValue(v any, c Counts) any {
	switch v := v.(type) {
	case string:
		return r.RemoveRepeated(v, c)
	case []any:
		for i := range v {
			v[i] = r.againValue(v[i], c)
		}
	case map[string]any:
		for name, item := range v {
			v[name] = r.againValue(item, c)
		}
	}
	return v
}

// redactValue redacts decoded JSON that is under a name.
func (r *Redactor) redactValue(v any, u under, c Counts, nesting int) any {
	if nesting > maxNesting {
		c.countUnseen(decide.Block.Rule)
		return lex.Marker(decide.KindField)
	}
	switch v := v.(type) {
	case map[string]any:
		r.redactObject(v, u.inside(), c, nesting)
	case []any:
		r.redactList(v, u.inside(), c, nesting)
	case string:
		return r.redactDecoded(v, u, c)
	case float64:
		return r.redactNumber(v, strconv.FormatFloat(v, 'f', -1, 64), u, c)
	case json.Number:
		return r.redactNumber(v, v.String(), u, c)
	case int:
		return r.redactNumber(v, strconv.Itoa(v), u, c)
	case int64:
		return r.redactNumber(v, strconv.FormatInt(v, 10), u, c)
	case uint64:
		return r.redactNumber(v, strconv.FormatUint(v, 10), u, c)
	}
	return v
}

// redactList redacts the items of a decoded list.
func (r *Redactor) redactList(v []any, u under, c Counts, nesting int) {
	keys := keyLines{}
	for i := range v {
		item := u
		switch value := v[i].(type) {
		case string:
			if keys.next(value) {
				item = under{decide.PrivateKey, decide.Stated}
			} else if i > 0 && u.Class == decide.NotSecret {
				item = under{r.listOptionMeaning(v, i, value), decide.Stated}
			}
		case []any:
			r.redactPair(value, u, c, nesting)
		}
		v[i] = r.redactValue(v[i], item, c, nesting+1)
	}
}

// listOptionMeaning returns the meaning of the string at i in a list of the words of a command: that of the option
// before it.
func (r *Redactor) listOptionMeaning(v []any, i int, item string) (m decide.Meaning) {
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
	return find.OptionMeaning(r.set, before, name, item)
}

// redactPair redacts the second of two strings when the first is a sensitive name.
func (r *Redactor) redactPair(v []any, u under, c Counts, nesting int) {
	if len(v) != 2 || u.Class != decide.NotSecret {
		return
	}
	name, isName := v[0].(string)
	if text, ok := v[1].(string); ok && isName {
		if named := r.underName(name); named.IsSecret() {
			v[1] = r.redactValue(text, named, c, nesting+1)
		}
	}
}

// redactDecoded redacts a decoded string that is under a name.
func (r *Redactor) redactDecoded(s string, u under, c Counts) string {
	s = r.nextInStream(s, c)
	if s == "" || lex.IsMarker(s) {
		return s
	}
	if !r.isSecret(s, u) {
		return r.redactString(s, c, 0)
	}
	c.count(u.Rule, s)
	r.removed.add(s, u.Rule)
	return r.mark(u.Rule, false)
}

// redactNumber redacts a number, whose text it is given, that is under a name.
func (r *Redactor) redactNumber(v any, text string, u under, c Counts) any {
	rule := r.numberRule(text, u)
	if rule == nil {
		return v
	}
	c.count(rule, text)
	return r.mark(rule, false)
}

// redactObject redacts the members of a decoded object, and their names. The value of an object with a name and a
// value is under that name.
func (r *Redactor) redactObject(v map[string]any, u under, c Counts, nesting int) {
	named := under{}
	if u.Class == decide.NotSecret {
		for _, name := range [...]string{"name", "key", "Name", "Key", "header", "field"} {
			if text, ok := v[name].(string); ok {
				if n := r.underName(text); n.IsSecret() {
					named = n
				}
			}
		}
	}
	for name, item := range v {
		v[name] = r.redactValue(item, r.objectMember(v, name, u, named), c, nesting+1)
	}
	if u.Class != decide.Always {
		r.redactNames(v, c)
	}
}

// redactNames redacts the names of members that contain a token of a known format.
func (r *Redactor) redactNames(v map[string]any, c Counts) {
	var renamed map[string]string
	for name := range v {
		if len(name) < 12 {
			continue
		}
		if out := r.redactString(name, c, 0); out != name {
			if renamed == nil {
				renamed = map[string]string{}
			}
			renamed[name] = out
		}
	}
	for name, out := range renamed {
		item := v[name]
		delete(v, name)
		v[freeName(v, out)] = item
	}
}

// objectMember returns what a member of a decoded object is under.
func (r *Redactor) objectMember(v map[string]any, name string, u, named under) under {
	text, isText := v[name].(string)
	switch {
	case isText && decide.IsJWKSecret(name, text, v["kty"] != nil):
		return secretJWK
	case isText && u.Class == decide.NotSecret && decide.IsPackageName(name) && decide.IsVersion(text):
		return u
	}
	switch name {
	case "value", "Value", "values":
		if named.Class != decide.NotSecret {
			return named
		}
	case "data", "stringData":
		if v["kind"] == "Secret" {
			return secretData
		}
	}
	return r.member(name, u)
}

// freeName returns a name that an object does not have.
func freeName(v map[string]any, name string) string {
	free := name
	for n := 2; ; n++ {
		if _, taken := v[free]; !taken {
			return free
		}
		free = name + " " + strconv.Itoa(n)
	}
}
