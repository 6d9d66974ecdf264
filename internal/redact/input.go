package redact

import (
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// Input redacts the text that was typed into a field: all of it when the field's selector is that of a secret.
func (r *Redactor) Input(selector, value string, c Counts) string {
	if rule := find.FieldRule(r.set, selector); rule != nil && value != "" && !lex.IsMarker(value) {
		c.count(rule, value)
		r.removed.add(value, rule)
		return r.mark(rule, false)
	}
	return r.Body("", value, c)
}

// Field returns the kind of the secret that is typed into a field, by a selector with any of its attributes; empty
// when they do not name one.
func (r *Redactor) Field(selector string) (kind string) {
	rule := find.FieldRule(r.set, selector)
	if rule == nil {
		return ""
	}
	return rule.Kind
}
