package evidence

import (
	"encoding/json"
	"strings"

	"bugslice/internal/redact"
)

// An input of rrweb tells what stands in a field after each keystroke. A secret comes there
// piece by piece, and no piece looks like one: what was typed into a field goes as a whole when
// any of it, or the field's name, is secret.

const (
	incremental = 3 // type of an event
	snapshot    = 2
	inputSource = 5 // source of an incremental one
	mask        = "[redacted:input]"
)

type rrwebEvent struct {
	Type float64 `json:"type"`
	Data struct {
		Source float64 `json:"source"`
		ID     int64   `json:"id"`
		Text   string  `json:"text"`
	} `json:"data"`
}

// typedSecrets returns the events, by their places, whose text goes.
func typedSecrets(events []json.RawMessage, d *redact.Redactor, c redact.Counts) map[int]json.RawMessage {
	secret := map[int64]bool{}
	var inputs []int
	for i, raw := range events {
		var e rrwebEvent
		if json.Unmarshal(raw, &e) != nil {
			continue
		}
		switch {
		case e.Type == incremental && e.Data.Source == inputSource:
			inputs = append(inputs, i)
			if n := (redact.Counts{}); d.Text(e.Data.Text, n) != e.Data.Text {
				secret[e.Data.ID] = true
			}
		case e.Type == snapshot || e.Type == incremental && e.Data.Source == 0:
			var v any
			if json.Unmarshal(raw, &v) == nil {
				fields(v, d, secret, 0)
			}
		}
	}
	out := map[int]json.RawMessage{}
	for _, i := range inputs {
		var e rrwebEvent
		if json.Unmarshal(events[i], &e) != nil || !secret[e.Data.ID] || strings.Trim(e.Data.Text, "*•") == "" {
			continue
		}
		var v map[string]any
		if json.Unmarshal(events[i], &v) != nil {
			continue
		}
		v["data"].(map[string]any)["text"] = mask
		if b, err := marshal(v); err == nil {
			c["input"]++
			out[i] = b
		}
	}
	return out
}

// fields notes the ids of the input fields of a document whose names are those of secrets.
func fields(v any, d *redact.Redactor, secret map[int64]bool, depth int) {
	if depth > 500 {
		return
	}
	switch t := v.(type) {
	case []any:
		for _, one := range t {
			fields(one, d, secret, depth+1)
		}
	case map[string]any:
		tag, _ := t["tagName"].(string)
		attributes, _ := t["attributes"].(map[string]any)
		if id, ok := t["id"].(float64); ok && (tag == "input" || tag == "textarea") {
			for _, name := range []string{"id", "name", "autocomplete", "type"} {
				text, _ := attributes[name].(string)
				if text != "" && d.Input(text, "x", redact.Counts{}) != "x" || strings.HasPrefix(text, "cc-") {
					secret[int64(id)] = true
				}
			}
		}
		for _, member := range t {
			fields(member, d, secret, depth+1)
		}
	}
}
