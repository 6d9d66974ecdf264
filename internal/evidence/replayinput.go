package evidence

import (
	"encoding/json"
	"slices"
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
	metaEvent      = 4
	custom         = 5
	plugin         = 6
	sourceMutation = 0 // sources of an incremental event
	sourceInput    = 5
	elementNode    = 2 // types of a node
	textNode       = 3
)

// fieldMasker masks the content of the fields of a recording that contain secrets. Fields and text nodes are known by
// their ids.
type fieldMasker struct {
	redaction
	secret     map[string]bool   // by the id of a field
	textareaOf map[string]string // the id of the textarea that contains a text node
}

// maskInputs masks the content of each field that contains a secret in any event. It returns the events that it
// changed, by index.
func maskInputs(events []json.RawMessage, r redaction) map[int]json.RawMessage {
	m := fieldMasker{r, map[string]bool{}, map[string]string{}}
	inputEvents := map[int]int{} // where the data of an event begins
	for i, raw := range events {
		if at, ok := inputData(raw); ok {
			inputEvents[i] = at
			eachObject(raw, at, m.findSecret)
		}
	}
	if len(m.secret) == 0 {
		return nil
	}
	masked := map[int]json.RawMessage{}
	for i, at := range inputEvents {
		var places []scalar
		eachObject(events[i], at, func(o recorded) { places = append(places, m.toMask(o)...) })
		if len(places) > 0 {
			masked[i] = m.mask(events[i], places)
		}
	}
	return masked
}

// mask replaces the values at places of an event by the mask.
func (m fieldMasker) mask(raw json.RawMessage, places []scalar) (masked json.RawMessage) {
	slices.SortFunc(places, func(a, b scalar) int { return a.at - b.at })
	copied := 0
	for _, place := range places {
		if place.at < copied { // named by two objects
			continue
		}
		masked = append(append(masked, raw[copied:place.at]...), `"`+inputMask+`"`...)
		copied = place.at + len(place.raw)
		m.counts.AddKind("input", 1)
	}
	return append(masked, raw[copied:]...)
}

// inputData returns where the data of an event begins, if it may record the content of fields.
func inputData(raw []byte) (at int, ok bool) {
	var kind float64
	for name, member := range Members(raw) {
		switch name {
		case "type":
			kind, _ = number(json.Number(member.Raw))
		case "data":
			at = member.At
		}
	}
	if at == 0 || kind == fullSnapshot {
		return at, at > 0
	}
	for name, member := range Members(raw[at:]) {
		if name == "source" {
			source, isNumber := number(json.Number(member.Raw))
			ok = isNumber && (source == sourceMutation || source == sourceInput)
		}
	}
	return at, ok && kind == incremental
}

// nodeID returns the key of a node's id, which may be any JSON value.
func nodeID(v scalar) string {
	if n, ok := number(json.Number(v.raw)); ok {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return v.text()
}

// findSecret marks the field of an object in an event as secret if the object contains a secret. The object is an
// element, a change of its attributes, or an input.
func (m fieldMasker) findSecret(o recorded) {
	isSecret := false
	switch o.tag() {
	case "meta":
		isSecret = m.namesSecret(o.attribute("name").text()) || m.namesSecret(o.attribute("property").text())
	case "textarea":
		isSecret = m.hasSecretText(o) || m.isSecretField(o)
	case "", "input", "select":
		isSecret = m.isSecretField(o)
	}
	if isSecret {
		m.secret[nodeID(o.id)] = true
	}
}

// isSecretField reports whether a field has the name of a secret, or contains one.
func (m fieldMasker) isSecretField(o recorded) bool {
	return m.isSecret(o.content) || m.isSecret(o.attribute("value")) || m.hasSecretName(o.attributes)
}

// hasSecretText records the text nodes of a textarea, and reports whether one contains a secret.
func (m fieldMasker) hasSecretText(textarea recorded) (found bool) {
	for _, child := range textarea.children {
		m.textareaOf[nodeID(child.id)] = nodeID(textarea.id)
		found = found || m.isSecret(child.textContent)
	}
	return found
}

// isSecret reports whether a text or a number contains a secret.
func (m fieldMasker) isSecret(v scalar) bool { return v.isContent() && m.containsSecret(v.text()) }

// hasSecretName reports whether the attributes of a field name a secret.
func (m fieldMasker) hasSecretName(attributes []attribute) bool {
	for _, a := range attributes {
		switch strings.ToLower(a.name) {
		case "id", "name", "autocomplete", "type", "class", "placeholder", "aria-label",
			"data-testid", "data-test", "data-test-id", "data-cy", "formcontrolname", "ng-model":
			if a.value.isString() && m.namesSecret(a.value.text()) {
				return true
			}
		case "data-rr-is-password":
			return true
		}
	}
	return false
}

// toMask returns the members of an object in an event that contain the content of a secret field. The object has one
// of four shapes: an input {id, text}; an element, or a change of its attributes, {id, tagName, attributes}, where a
// change has no tagName; a text node of a textarea, or a change of its content, {id, textContent} or {id, value}; an
// added node {parentId, node}.
func (m fieldMasker) toMask(o recorded) (places []scalar) {
	id := nodeID(o.id)
	if m.secret[id] {
		places = append(places, o.content, o.attribute("value"))
		if isMeta, isChange := o.tag() == "meta", o.tag() == ""; isMeta || isChange {
			places = append(places, o.attribute("content"))
		}
	}
	if textarea, isText := m.textareaOf[id]; isText && m.secret[textarea] {
		places = append(places, o.textContent, o.value)
	}
	if m.secret[nodeID(o.parentID)] && nodeID(o.node.kind) == strconv.Itoa(textNode) { // which may be a number or a text
		places = append(places, o.node.textContent)
	}
	return slices.DeleteFunc(places, func(v scalar) bool {
		return !v.isContent() || v.isString() &&
			isMasked(v.text())
	})
}
