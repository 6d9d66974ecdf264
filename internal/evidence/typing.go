package evidence

import (
	"encoding/json"
	"fmt"
	"strings"

	"bugslice/internal/redact"
)

// An input of rrweb tells what stands in a field after each keystroke. A secret comes there
// piece by piece, and no piece looks like one: what was typed into a field goes as a whole when
// any of it, or the field's name, is secret.

// Numbers of rrweb.
const (
	incremental = 3 // type of an event
	snapshot    = 2
	mutation    = 0 // source of an incremental one
	inputSource = 5
	mask        = "[redacted:input]"
)

// typing finds the fields of a recording that hold secrets, by their ids.
type typing struct {
	d      *redact.Redactor
	secret map[string]bool
}

// typedSecrets returns the events, by their places, whose text goes.
func typedSecrets(events []json.RawMessage, d *redact.Redactor, c redact.Counts) map[int]json.RawMessage {
	t := typing{d, map[string]bool{}}
	var inputs []int
	for i, raw := range events {
		var e map[string]any
		if decode(raw, &e) != nil {
			continue
		}
		kind, _ := number(e["type"])
		data := object(e["data"])
		source, sourced := number(data["source"])
		switch {
		case kind == incremental && source == inputSource:
			inputs = append(inputs, i)
			if typed := text(data, "text"); d.Text(typed, redact.Counts{}) != typed {
				t.secret[id(data)] = true
			}
		case kind == snapshot || kind == incremental && sourced && source == mutation:
			t.fields(data, 0)
		}
	}
	out := map[int]json.RawMessage{}
	for _, i := range inputs {
		var e map[string]any
		_ = decode(events[i], &e) // it was read before
		data := object(e["data"])
		if !t.secret[id(data)] || strings.Trim(text(data, "text"), "*•") == "" {
			continue
		}
		data["text"] = mask
		if b, err := marshal(e); err == nil {
			c["input"]++
			out[i] = b
		}
	}
	return out
}

// id is what a node is known by: a number, or whatever else stands there.
func id(node map[string]any) string { return fmt.Sprint(node["id"]) }

// maxNesting bounds how deep the fields of a document are looked for.
const maxNesting = 1000

// fields notes the fields of a document whose names are those of secrets.
func (t typing) fields(v any, depth int) {
	if depth > maxNesting {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			t.fields(one, depth+1)
		}
	case map[string]any:
		if tag := text(v, "tagName"); tag == "input" || tag == "textarea" {
			attributes := object(v["attributes"])
			for _, name := range []string{"id", "name", "autocomplete", "type"} {
				if said := text(attributes, name); said != "" && t.d.Input(said, "x", redact.Counts{}) != "x" || strings.HasPrefix(said, "cc-") {
					t.secret[id(v)] = true
				}
			}
		}
		for _, member := range v {
			t.fields(member, depth+1)
		}
	}
}
