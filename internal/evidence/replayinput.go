package evidence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// rrweb records the content of a field after every keystroke, and again when the page copies it into an attribute. A
// secret is therefore recorded piece by piece, and no rule detects a piece. When the content or the name of a field is
// secret at any time, its content is masked in every event.

// Constants of rrweb.
const (
	fullSnapshot   = 2 // types of an event
	incremental    = 3
	custom         = 5
	plugin         = 6
	sourceMutation = 0 // sources of an incremental event
	sourceInput    = 5
	textNode       = 3 // type of a node
)

// fieldMasker masks the content of the fields of a recording that contain secrets. Fields and text nodes are known by
// their ids.
type fieldMasker struct {
	redaction
	secret     map[string]bool   // by the id of a field
	textareaOf map[string]string // the id of the textarea that contains a text node
}

// maskInputs masks the content of each field that contains a secret in any event. It returns the events that it changed,
// by index.
func maskInputs(events []json.RawMessage, r redaction) map[int]json.RawMessage {
	m := fieldMasker{r, map[string]bool{}, map[string]string{}}
	var inputEvents []int
	for i, raw := range events {
		var event map[string]any
		if decode(raw, &event) == nil && recordsInput(event) {
			inputEvents = append(inputEvents, i)
			eachObject(event["data"], m.findSecret)
		}
	}
	if len(m.secret) == 0 {
		return nil
	}
	masked := map[int]json.RawMessage{}
	for _, i := range inputEvents {
		if event, ok := m.maskEvent(events[i]); ok {
			masked[i] = event
		}
	}
	return masked
}

// maskEvent masks the content of secret fields in an event; ok is false when it has none. The event is decoded again,
// because the decoded events of a recording would need too much memory.
func (m fieldMasker) maskEvent(raw json.RawMessage) (masked json.RawMessage, ok bool) {
	var event map[string]any
	_ = decode(raw, &event) // maskInputs has decoded it
	count := 0
	eachObject(event["data"], func(o map[string]any) { count += m.maskObject(o) })
	if count == 0 {
		return nil, false
	}
	masked, err := marshal(event)
	if err != nil { // decoded JSON can always be encoded
		panic(err)
	}
	m.counts["input"] += count
	return masked, true
}

// recordsInput reports whether an event may record the content of fields.
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

// findSecret marks the field of an object in an event as secret if the object contains a secret. The object is an
// element, a change of its attributes, or an input.
func (m fieldMasker) findSecret(o map[string]any) {
	attributes := object(o["attributes"])
	isSecret := false
	switch strings.ToLower(stringMember(o, "tagName")) {
	case "meta":
		isSecret = m.namesSecret(stringMember(attributes, "name")) || m.namesSecret(stringMember(attributes, "property"))
	case "textarea":
		isSecret = m.hasSecretText(o) || m.isSecretField(o, attributes)
	case "", "input", "select":
		isSecret = m.isSecretField(o, attributes)
	}
	if isSecret {
		m.secret[nodeID(o["id"])] = true
	}
}

// isSecretField reports whether a field has the name of a secret, or contains one.
func (m fieldMasker) isSecretField(o, attributes map[string]any) bool {
	return m.isSecret(o["text"]) || m.isSecret(attributes["value"]) || m.hasSecretName(attributes)
}

// hasSecretText records the text nodes of a textarea, and reports whether one contains a secret.
func (m fieldMasker) hasSecretText(textarea map[string]any) (found bool) {
	children, _ := textarea["childNodes"].([]any)
	for _, child := range children {
		m.textareaOf[nodeID(object(child)["id"])] = nodeID(textarea["id"])
		found = found || m.isSecret(object(child)["textContent"])
	}
	return found
}

// isSecret reports whether a text or a number contains a secret.
func (m fieldMasker) isSecret(v any) bool {
	switch v := v.(type) {
	case string:
		return m.containsSecret(v)
	case json.Number:
		return m.containsSecret(v.String())
	}
	return false
}

// hasSecretName reports whether the attributes of a field name a secret.
func (m fieldMasker) hasSecretName(attributes map[string]any) bool {
	for name, v := range attributes {
		switch strings.ToLower(name) {
		case "id", "name", "autocomplete", "type", "class", "placeholder", "aria-label",
			"data-testid", "data-test", "data-test-id", "data-cy", "formcontrolname", "ng-model":
			if value, _ := v.(string); m.namesSecret(value) {
				return true
			}
		case "data-rr-is-password":
			return true
		}
	}
	return false
}

// maskObject masks the members of an object in an event that contain the content of a secret field, and returns their
// number. The object has one of four shapes: an input {id, text}; an element, or a change of its attributes, {id, tagName,
// attributes}, where a change has no tagName; a text node of a textarea, or a change of its content, {id, textContent} or
// {id, value}; an added node {parentId, node}.
func (m fieldMasker) maskObject(o map[string]any) (count int) {
	id := nodeID(o["id"])
	if m.secret[id] {
		attributes := object(o["attributes"])
		count += maskMember(o, "text") + maskMember(attributes, "value")
		tag := strings.ToLower(stringMember(o, "tagName"))
		if isMeta, isChange := tag == "meta", tag == ""; isMeta || isChange {
			count += maskMember(attributes, "content")
		}
	}
	if textarea, isText := m.textareaOf[id]; isText && m.secret[textarea] {
		count += maskMember(o, "textContent") + maskMember(o, "value")
	}
	if added := object(o["node"]); m.secret[nodeID(o["parentId"])] && isTextNode(added) {
		count += maskMember(added, "textContent")
	}
	return count
}

// isTextNode reports whether a node is a text node. Its type may be a number or a text.
func isTextNode(node map[string]any) bool { return nodeID(node["type"]) == strconv.Itoa(textNode) }

// maskMember masks a member that is a text or a number, and returns how many it masked.
func maskMember(o map[string]any, name string) int {
	text, isText := o[name].(string)
	if _, isNumber := o[name].(json.Number); !isNumber && (!isText || isMasked(text)) {
		return 0
	}
	o[name] = inputMask
	return 1
}
