package redact

import "strings"

// HAR redacts a decoded HTTP archive in place: headers, cookies, parameters and bodies by
// what they are, also in base64, the messages of web sockets, and everything else like Value.
func (r *Redactor) HAR(har map[string]any, c Counts) {
	log := object(har, "log")
	entries := list(log, "entries")
	for i, item := range entries {
		entry, ok := item.(map[string]any)
		if !ok {
			entries[i] = r.Value(item, c)
			continue
		}
		r.Entry(entry, c)
	}
	r.rest(log, c, "entries")
	r.rest(har, c, "log")
}

// Entry redacts an entry of a HTTP archive in place.
func (r *Redactor) Entry(entry map[string]any, c Counts) {
	for _, side := range [...]string{"request", "response"} {
		r.message(object(entry, side), c)
	}
	for _, item := range list(entry, "_webSocketMessages") {
		if message, ok := item.(map[string]any); ok {
			change(message, "data", func(s string) string { return r.Body("", s, c) })
		}
	}
	r.rest(entry, c, "request", "response", "_webSocketMessages")
}

// Input redacts what was typed into a field: all of it when the field's selector, or its name,
// is one of a secret.
func (r *Redactor) Input(selector, value string, c Counts) string {
	words := strings.FieldsFunc(selector, func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
	for _, word := range words {
		if m := r.name(word); m.class == sure && value != "" && !marked(value) {
			c.count(m.kind)
			return marker(m.kind)
		}
	}
	return r.Body("", value, c)
}

// rest redacts the members of an object except for those that were looked at, if these are
// of the kind that they must be.
func (r *Redactor) rest(m map[string]any, c Counts, done ...string) {
	seen := map[string]any{}
	for _, name := range done {
		switch v := m[name].(type) {
		case map[string]any, []any, string:
			seen[name] = v
			delete(m, name)
		}
	}
	r.Value(m, c)
	for name, v := range seen {
		m[name] = v
	}
}

// message redacts a request or a response.
func (r *Redactor) message(m map[string]any, c Counts) {
	if m == nil {
		return
	}
	for _, name := range [...]string{"url", "redirectURL"} {
		change(m, name, func(s string) string { return r.URL(s, c) })
	}
	r.each(m, "headers", c, func(name, value string) string { return r.Header(name, value, c) })
	r.each(m, "cookies", c, func(_, value string) string { return r.str(value, meaning{sure, kindCookie}, c) })
	r.each(m, "queryString", c, func(name, value string) string { return r.parameter(name, value, c) })
	if data := object(m, "postData"); data != nil {
		kind, _ := data["mimeType"].(string)
		r.each(data, "params", c, func(name, value string) string { return r.parameter(name, value, c) })
		change(data, "text", func(s string) string { return r.Body(kind, s, c) })
		r.rest(data, c, "params", "text")
	}
	if content := object(m, "content"); content != nil {
		kind, _ := content["mimeType"].(string)
		change(content, "text", func(s string) string {
			if content["encoding"] == "base64" {
				return r.decoded(kind, s, c)
			}
			return r.Body(kind, s, c)
		})
		r.rest(content, c, "text")
	}
	r.rest(m, c, "url", "redirectURL", "headers", "cookies", "queryString", "postData", "content")
}

// parameter redacts the value of a parameter that is listed decoded.
func (r *Redactor) parameter(name, value string, c Counts) string {
	m := r.name(name)
	if m.class == parameter && len(value) >= 8 && (likely(value) || mixed(value)) {
		m.class = sure
	}
	return r.str(value, m, c)
}

func object(m map[string]any, name string) map[string]any {
	o, _ := m[name].(map[string]any)
	return o
}

func list(m map[string]any, name string) []any {
	l, _ := m[name].([]any)
	return l
}

func change(m map[string]any, name string, do func(string) string) {
	if s, ok := m[name].(string); ok {
		m[name] = do(s)
	}
}

// each changes the values of a list of names and values, and redacts what else is in it.
func (r *Redactor) each(m map[string]any, name string, c Counts, do func(name, value string) string) {
	items, ok := m[name].([]any)
	if !ok {
		if v, ok := m[name]; ok {
			m[name] = r.Value(v, c)
		}
		return
	}
	for i, item := range items {
		pair, ok := item.(map[string]any)
		if !ok {
			items[i] = r.Value(item, c)
			continue
		}
		name, _ := pair["name"].(string)
		change(pair, "value", func(s string) string { return do(name, s) })
		r.rest(pair, c, "name", "value")
	}
}
