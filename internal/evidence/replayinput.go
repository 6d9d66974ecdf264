package evidence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"bugslice/internal/redact"
)

// rrweb records the content of a field after every keystroke, and again when the page copies it into an attribute. A
// secret is therefore recorded piece by piece, and no rule detects a piece. When the content or the name of a field is
// secret at any time, its content is masked in every event.

// Constants of rrweb.
const (
	fullSnapshot   = 2 // types of an event
	incremental    = 3
	sourceMutation = 0 // sources of an incremental event
	sourceInput    = 5
	textNode       = 3 // type of a node
)

// fieldMasker masks the content of the fields of a recording that contain secrets. Fields and text nodes are known by
// their ids.
type fieldMasker struct {
	redactor *redact.Redactor
	secret   map[string]bool
	fieldOf  map[string]string // text node to the textarea that contains it
}

// maskInputs returns the events, by index, in which the content of a field was masked.
func maskInputs(events []json.RawMessage, d *redact.Redactor, c redact.Counts) map[int]json.RawMessage {
	m := fieldMasker{d, map[string]bool{}, map[string]string{}}
	var recording []int
	for i, raw := range events {
		var e map[string]any
		if decode(raw, &e) == nil && recordsInput(e) {
			recording = append(recording, i)
			eachObject(e["data"], m.find)
		}
	}
	if len(m.secret) == 0 {
		return nil
	}
	masked := map[int]json.RawMessage{}
	for _, i := range recording {
		var e map[string]any
		_ = decode(events[i], &e) // it was decoded above
		count := 0
		eachObject(e["data"], func(o map[string]any) { count += m.mask(o) })
		if count == 0 {
			continue
		}
		if b, err := marshal(e); err == nil {
			c["input"] += count
			masked[i] = b
		}
	}
	return masked
}

// recordsInput says whether an event may record the content of fields.
func recordsInput(e map[string]any) bool {
	kind, _ := number(e["type"])
	source, hasSource := number(object(e["data"])["source"])
	return kind == fullSnapshot || kind == incremental && hasSource && (source == sourceMutation || source == sourceInput)
}

// eachObject calls fn for every object in a value, outer ones first.
func eachObject(v any, fn func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			eachObject(item, fn)
		}
	case map[string]any:
		fn(v)
		for _, member := range v {
			eachObject(member, fn)
		}
	}
}

// nodeID returns the key of a node's id, which may be any JSON value.
func nodeID(v any) string {
	if n, ok := number(v); ok {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// find records the field of an object in an event, if it contains a secret. The object is an element, a change of its
// attributes, or an input.
func (m fieldMasker) find(o map[string]any) {
	attributes := object(o["attributes"])
	secret := m.isSecret(o["text"]) || m.isSecret(attributes["value"])
	switch tag := strings.ToLower(stringMember(o, "tagName")); tag {
	case "meta":
		secret = m.redactor.Field(stringMember(attributes, "name")) != "" || m.redactor.Field(stringMember(attributes, "property")) != ""
	case "", "input", "textarea", "select":
		secret = secret || m.hasSecretName(attributes)
		if tag == "textarea" {
			children, _ := o["childNodes"].([]any)
			for _, child := range children {
				m.fieldOf[nodeID(object(child)["id"])] = nodeID(o["id"])
				secret = secret || m.isSecret(object(child)["textContent"])
			}
		}
	default:
		return
	}
	if secret {
		m.secret[nodeID(o["id"])] = true
	}
}

// isSecret says whether a text or a number is a secret by itself.
func (m fieldMasker) isSecret(v any) bool {
	s, ok := v.(string)
	if n, isNumber := v.(json.Number); isNumber {
		s, ok = n.String(), true
	}
	return ok && m.redactor.Text(s, redact.Counts{}) != s
}

// hasSecretName says whether the attributes of a field name a secret.
func (m fieldMasker) hasSecretName(attributes map[string]any) bool {
	for name, v := range attributes {
		switch strings.ToLower(name) {
		case "id", "name", "autocomplete", "type", "class", "placeholder", "aria-label",
			"data-testid", "data-test", "data-test-id", "data-cy", "formcontrolname", "ng-model":
			if value, _ := v.(string); m.redactor.Field(value) != "" {
				return true
			}
		case "data-rr-is-password":
			return true
		}
	}
	return false
}

// mask masks the members of an object in an event that contain the content of a secret field, and returns their number.
func (m fieldMasker) mask(o map[string]any) (count int) {
	if m.secret[nodeID(o["id"])] {
		attributes := object(o["attributes"])
		count += maskMember(o, "text") + maskMember(attributes, "value")
		if tag := strings.ToLower(stringMember(o, "tagName")); tag == "meta" || tag == "" {
			count += maskMember(attributes, "content")
		}
	}
	if field, ok := m.fieldOf[nodeID(o["id"])]; ok && m.secret[field] { // a text node of a textarea, or its change
		count += maskMember(o, "textContent") + maskMember(o, "value")
	}
	if node := object(o["node"]); m.secret[nodeID(o["parentId"])] && nodeID(node["type"]) == strconv.Itoa(textNode) {
		count += maskMember(node, "textContent")
	}
	return count
}

// maskMember masks a member that is a text or a number, and returns how many it masked.
func maskMember(o map[string]any, name string) int {
	text, isText := o[name].(string)
	if _, isNumber := o[name].(json.Number); !isNumber && (!isText || isMasked(text)) {
		return 0
	}
	o[name] = inputMask
	return 1
}
