package evidence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"bugslice/internal/redact"
)

// An input of rrweb tells what stands in a field after each keystroke, and so does a page that
// writes it back into an attribute. A secret comes there piece by piece, and no piece looks like
// one: what stands in a field goes as a whole, wherever it is told of, when any of it, or the
// field's name, is secret.

// Numbers of rrweb.
const (
	snapshot    = 2 // types of an event
	incremental = 3
	mutation    = 0 // sources of an incremental one
	inputSource = 5
	textNode    = 3 // type of a node
	mask        = "[redacted:input]"
)

// typing finds what stands in the fields of a recording that hold secrets, by their ids.
type typing struct {
	d      *redact.Redactor
	secret map[string]bool   // fields
	inside map[string]string // the fields that texts stand in
}

// typedSecrets returns the events, by their places, of which something that was typed goes.
func typedSecrets(events []json.RawMessage, d *redact.Redactor, c redact.Counts) map[int]json.RawMessage {
	t := typing{d, map[string]bool{}, map[string]string{}}
	var told []int
	for i, raw := range events {
		var e map[string]any
		if decode(raw, &e) == nil && tells(e) {
			told = append(told, i)
			walk(e["data"], t.look)
		}
	}
	if len(t.secret) == 0 {
		return nil
	}
	out := map[int]json.RawMessage{}
	for _, i := range told {
		var e map[string]any
		_ = decode(events[i], &e) // it was read before
		gone := 0
		walk(e["data"], func(m map[string]any) { gone += t.hide(m) })
		if gone == 0 {
			continue
		}
		if b, err := marshal(e); err == nil {
			c["input"] += gone
			out[i] = b
		}
	}
	return out
}

// tells says whether an event is one that shows what stands in fields.
func tells(e map[string]any) bool {
	kind, _ := number(e["type"])
	source, sourced := number(object(e["data"])["source"])
	return kind == snapshot || kind == incremental && sourced && (source == mutation || source == inputSource)
}

// walk shows every object of a value, outer ones first.
func walk(v any, fn func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			walk(one, fn)
		}
	case map[string]any:
		fn(v)
		for _, member := range v {
			walk(member, fn)
		}
	}
}

// id is what a node is known by.
func id(v any) string {
	if n, ok := number(v); ok {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// look notes a field that holds a secret: an element, its attributes when they change, or an input.
func (t typing) look(m map[string]any) {
	attributes := object(m["attributes"])
	secret := t.holds(m["text"]) || t.holds(attributes["value"])
	switch tag := strings.ToLower(text(m, "tagName")); tag {
	case "meta":
		secret = t.d.Field(text(attributes, "name")) != "" || t.d.Field(text(attributes, "property")) != ""
	case "", "input", "textarea", "select":
		secret = secret || t.named(attributes)
		if tag == "textarea" {
			children, _ := m["childNodes"].([]any)
			for _, child := range children {
				t.inside[id(object(child)["id"])] = id(m["id"])
				secret = secret || t.holds(object(child)["textContent"])
			}
		}
	default:
		return
	}
	if secret {
		t.secret[id(m["id"])] = true
	}
}

// holds says whether what stands in a field is a secret by itself.
func (t typing) holds(v any) bool {
	s, ok := v.(string)
	if n, is := v.(json.Number); is {
		s, ok = n.String(), true
	}
	return ok && t.d.Text(s, redact.Counts{}) != s
}

// named says whether attributes are those of a field that holds a secret.
func (t typing) named(attributes map[string]any) bool {
	for name, v := range attributes {
		switch strings.ToLower(name) {
		case "id", "name", "autocomplete", "type", "class", "placeholder", "aria-label", "data-testid", "data-test", "data-test-id", "data-cy", "formcontrolname", "ng-model":
			if said, _ := v.(string); t.d.Field(said) != "" {
				return true
			}
		case "data-rr-is-password":
			return true
		}
	}
	return false
}

// hide masks what an object tells of what stands in a secret field, and returns how often.
func (t typing) hide(m map[string]any) (gone int) {
	one := func(m map[string]any, name string) {
		said := m[name]
		s, ok := said.(string)
		if _, is := said.(json.Number); is || ok && strings.Trim(s, "*•") != "" && s != mask {
			m[name] = mask
			gone++
		}
	}
	if t.secret[id(m["id"])] {
		one(m, "text")
		attributes := object(m["attributes"])
		one(attributes, "value")
		if tag := strings.ToLower(text(m, "tagName")); tag == "meta" || tag == "" {
			one(attributes, "content")
		}
	}
	if field, ok := t.inside[id(m["id"])]; ok && t.secret[field] { // a text in it, or a change of that
		one(m, "textContent")
		one(m, "value")
	}
	if node := object(m["node"]); t.secret[id(m["parentId"])] && id(node["type"]) == strconv.Itoa(textNode) {
		one(node, "textContent")
	}
	return gone
}
