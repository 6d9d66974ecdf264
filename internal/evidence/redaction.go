package evidence

import (
	"encoding/json"
	"fmt"

	"bugslice/internal/redact"
)

// redaction removes secrets from evidence, whose texts are a stream, and counts them by kind.
type redaction struct {
	redactor *redact.Redactor // of the stream
	alone    *redact.Redactor // of texts by themselves
	counts   redact.Counts
}

// newRedaction returns the redaction of one set.
func newRedaction(d *redact.Redactor, c redact.Counts) redaction {
	d = d.Unpacking()
	return redaction{d.Stream(), d, c}
}

// text returns a text without secrets.
func (r redaction) text(s string) string { return r.redactor.Text(s, r.counts) }

// body returns a text, which may be JSON or a form, without secrets.
func (r redaction) body(s string) string { return r.redactor.Body("", s, r.counts) }

// url returns a URL without secrets.
func (r redaction) url(s string) string { return r.redactor.URL(s, r.counts) }

// namesSecret reports whether a field with this name contains a secret.
func (r redaction) namesSecret(name string) bool { return r.redactor.Field(name) != "" }

// containsSecret reports whether a text contains a secret.
func (r redaction) containsSecret(s string) bool { return r.alone.Text(s, redact.Counts{}) != s }

// maxDepth is how deep arrays and objects may be nested, so that they can be redacted.
const maxDepth = 900

// tooDeep is a depth that no entry may have in its list, and that every parser of JSON takes.
const tooDeep = maxDepth + 100

var errDeep = fmt.Errorf("is nested deeper than %d", maxDepth)

// json returns a JSON value without secrets. It refuses one that is nested deeper than maxDepth.
func (r redaction) json(raw json.RawMessage) (json.RawMessage, error) {
	if depth(raw) > maxDepth {
		return nil, errDeep
	}
	text := "[" + string(raw) + "]" // the redactor does not take a single string for JSON
	out := r.redactor.Body("application/json", text, r.counts)
	if out == text {
		return raw, nil
	}
	if !json.Valid([]byte(out)) { // the redactor replaced it as a plain text
		return nil, errDeep
	}
	return json.RawMessage(out[1 : len(out)-1]), nil
}

// redactMember replaces the text of an optional member.
func redactMember(member **string, redacted func(string) string) {
	if *member != nil {
		text := redacted(**member)
		*member = &text
	}
}

// redactAgain removes the values from the rows of a set that were removed from other parts of the report.
func (s *Set) redactAgain(d *redact.Redactor, c redact.Counts) {
	for i, row := range s.Rows {
		counts := redact.Counts{}
		out := []byte(d.RemoveRepeated(string(row), counts))
		if len(counts) > 0 && json.Valid(out) {
			s.size += len(out) - len(row)
			s.Rows[i] = out
			c.Add(counts)
		}
	}
}
