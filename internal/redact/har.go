package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// HAR removes secrets from a decoded HTTP archive (HAR 1.2), in place: from headers, cookies,
// queries, bodies and URLs, and from whatever else it holds.
func (d *Redactor) HAR(har map[string]any, c Counts) {
	log, _ := har["log"].(map[string]any)
	entries, _ := log["entries"].([]any)
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			d.Entry(entry, c)
		}
	}
	for name, v := range log {
		if name != "entries" {
			log[name] = d.Value(v, c)
		}
	}
	for name, v := range har {
		if name != "log" {
			har[name] = d.Value(v, c)
		}
	}
}

// Entry removes secrets from an entry of a HAR, in place.
func (d *Redactor) Entry(entry map[string]any, c Counts) {
	for name, v := range entry {
		part, ok := v.(map[string]any)
		switch {
		case (name == "request" || name == "response") && ok:
			d.exchange(part, c)
		case name == "_webSocketMessages":
			d.messages(v, c)
		default:
			entry[name] = d.Value(v, c)
		}
	}
}

func (d *Redactor) exchange(part map[string]any, c Counts) {
	for name, v := range part {
		switch name {
		case "headers":
			pairs(v, func(name, value string) string { return d.Header(name, value, c) })
		case "cookies":
			pairs(v, func(_, value string) string {
				if value == "" || marked(value) {
					return value
				}
				c["cookie"]++
				return mark("cookie")
			})
		case "queryString":
			pairs(v, func(name, value string) string { return d.named(name, value, c) })
		case "url", "redirectURL":
			if text, ok := v.(string); ok {
				part[name] = d.URL(text, c)
			}
		case "postData", "content":
			if body, ok := v.(map[string]any); ok {
				d.content(body, c)
			}
		default:
			part[name] = d.Value(v, c)
		}
	}
}

func (d *Redactor) named(name, value string, c Counts) string {
	_, clean, _ := strings.Cut(d.pair(name+"="+value, c), "=")
	return clean
}

// pairs rewrites the values of a list of {name, value}.
func pairs(v any, rewrite func(name, value string) string) {
	list, _ := v.([]any)
	for _, one := range list {
		pair, _ := one.(map[string]any)
		name, _ := pair["name"].(string)
		if value, ok := pair["value"].(string); ok {
			pair["value"] = rewrite(name, value)
		}
	}
}

// content redacts a body: its text, also in base64, and its parameters.
func (d *Redactor) content(body map[string]any, c Counts) {
	kind, _ := body["mimeType"].(string)
	text, _ := body["text"].(string)
	if encoding, _ := body["encoding"].(string); encoding == "base64" {
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(raw) {
			clean := d.Body(kind, string(raw), c)
			if clean != string(raw) {
				body["text"] = base64.StdEncoding.EncodeToString([]byte(clean))
			}
		}
	} else if text != "" {
		body["text"] = d.Body(kind, text, c)
	}
	pairs(body["params"], func(name, value string) string { return d.named(name, value, c) })
	for name, v := range body {
		if name != "text" && name != "params" && name != "mimeType" {
			body[name] = d.Value(v, c)
		}
	}
}

func (d *Redactor) messages(v any, c Counts) {
	list, _ := v.([]any)
	for _, one := range list {
		m, _ := one.(map[string]any)
		if text, ok := m["data"].(string); ok {
			m["data"] = d.Body("", text, c)
		}
	}
}

// Value removes secrets from decoded JSON: by the names of members, and by the content of strings.
func (d *Redactor) Value(v any, c Counts) any { return d.value(v, false, c, 0) }

func (d *Redactor) value(v any, secret bool, c Counts, depth int) any {
	if depth > maxDepth {
		return mark("depth")
	}
	switch t := v.(type) {
	case string:
		switch {
		case t == "" || marked(t):
			return t
		case secret:
			c["field"]++
			return mark("field")
		}
		return d.text(t, c)
	case []any:
		for i := range t {
			t[i] = d.value(t[i], secret, c, depth+1)
		}
	case map[string]any:
		named, _ := t["name"].(string)
		if named == "" {
			named, _ = t["key"].(string)
		}
		for name, member := range t {
			text, isText := member.(string)
			switch {
			case isText && name == "name" && text == named, isText && name == "key" && text == named:
			case isText && name == "value" && named != "":
				t[name] = d.Header(named, text, c)
			default:
				t[name] = d.value(member, secret || d.secretName(name), c, depth+1)
			}
		}
	case nil, bool:
	default: // a number
		if secret {
			c["field"]++
			return mark("field")
		}
	}
	return v
}

// Input removes what was typed into a field whose name, or selector, is one of a secret.
func (d *Redactor) Input(selector, value string, c Counts) string {
	if value == "" || marked(value) {
		return value
	}
	for word := range strings.FieldsFuncSeq(selector, func(r rune) bool { return !isNameRune(r) }) {
		if d.secretName(word) {
			c["field"]++
			return mark("field")
		}
	}
	return d.Body("", value, c)
}

func isNameRune(r rune) bool {
	return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
