package redact

import (
	"encoding/json"
	"strconv"
)

// Value redacts decoded JSON by the names of members and by what strings hold, at any depth,
// and returns it; maps and slices are changed in place. What lies deeper than a thousand
// levels goes. Under a telling name every string and number goes, in arrays and objects too.
func (r *Redactor) Value(v any, c Counts) any {
	return r.value(v, meaning{}, c, 0)
}

func (r *Redactor) value(v any, m meaning, c Counts, nesting int) any {
	if nesting > maxNesting {
		c.count(kindField)
		return marker(kindField)
	}
	switch v := v.(type) {
	case map[string]any:
		r.object(v, within(m), c, nesting)
	case []any:
		m = within(m)
		lines := keyLines{}
		for i := range v {
			under := m
			switch item := v[i].(type) {
			case string:
				if under = lines.next(item, m); i > 0 && under.class == none {
					under = r.optionOf(v, i, item)
				}
			case []any:
				r.pair(item, m, c, nesting)
			}
			v[i] = r.value(v[i], under, c, nesting+1)
		}
	case string:
		return r.str(v, m, c)
	case float64:
		return r.number(v, strconv.FormatFloat(v, 'f', -1, 64), m, c)
	case json.Number:
		return r.number(v, v.String(), m, c)
	case int:
		return r.number(v, strconv.Itoa(v), m, c)
	case int64:
		return r.number(v, strconv.FormatInt(v, 10), m, c)
	case uint64:
		return r.number(v, strconv.FormatUint(v, 10), m, c)
	}
	return v
}

// optionOf returns what the string at i of a list of the words of a command means.
func (r *Redactor) optionOf(v []any, i int, item string) (m meaning) {
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
	return r.option(before, name, item, m)
}

// pair redacts the second of two strings if the first names it.
func (r *Redactor) pair(v []any, m meaning, c Counts, nesting int) {
	if len(v) != 2 || m.class != none {
		return
	}
	name, named := v[0].(string)
	if text, ok := v[1].(string); ok && named {
		if under := r.name(name); under.class != none && under.class != parameter {
			v[1] = r.value(text, under, c, nesting+1)
		}
	}
}

func (r *Redactor) str(s string, m meaning, c Counts) string {
	switch {
	case s == "":
		return s
	case !gone(s, m):
		return r.inner(s, c, 0)
	case marked(s) || keeps(s):
		return s
	}
	c.count(m.kind)
	return marker(m.kind)
}

func (r *Redactor) number(v any, text string, m meaning, c Counts) any {
	kind := m.kind
	switch m.class {
	case sure, loose, digits:
		if kept(text, m) {
			return v
		}
	default:
		if !cardNumber(text) {
			return v
		}
		kind = kindCard
	}
	c.count(kind)
	return marker(kind)
}

func (r *Redactor) object(v map[string]any, m meaning, c Counts, nesting int) {
	named := meaning{}
	if m.class == none {
		for _, name := range [...]string{"name", "key", "Name", "Key", "header", "field"} {
			if text, ok := v[name].(string); ok {
				if n := r.name(text); n.class != none && n.class != parameter {
					named = n
				}
			}
		}
	}
	var renamed map[string]string
	for name, item := range v {
		under := r.name(name)
		if under.class == none || under.class == parameter {
			under = m
			if under.class == loose {
				under.class = sure
			}
		}
		switch text, ok := item.(string); {
		case ok && jwk(name, text, v["kty"] != nil):
			under = meaning{sure, kindKey}
		case ok && m.class == none && packaged(name) && version(text):
			under = m
		}
		switch name {
		case "value", "Value", "values":
			if named.class != none {
				under = named
			}
		case "data", "stringData":
			if v["kind"] == "Secret" {
				under = meaning{sure, kindField}
			}
		}
		v[name] = r.value(item, under, c, nesting+1)
		if len(name) >= 12 && m.class != sure {
			if out := r.inner(name, c, 0); out != name {
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
