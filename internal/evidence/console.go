package evidence

import (
	"encoding/json"
	"fmt"
	"slices"

	"bugslice/api"
	"bugslice/internal/redact"
)

// console adds console messages, without secrets.
func (s *Set) console(rows []api.ConsoleEntry, d *redact.Redactor, c redact.Counts) error {
	for i, e := range rows {
		e.Message = d.Body("", e.Message, c)
		if e.Stack != nil {
			stack := d.Text(*e.Stack, c)
			e.Stack = &stack
		}
		e.Args = slices.Clone(e.Args)
		for j, arg := range e.Args {
			var err error
			if e.Args[j], err = redactJSON(arg, d, c); err != nil {
				return invalid(fmt.Sprintf("/%d/args/%d", i, j), "%s", err)
			}
		}
		truncateMembers(&e)
		if err := s.add(e, LevelClass(e.Level)); err != nil {
			return err
		}
	}
	return nil
}

// maxDepth is how deep arrays and objects may be nested, so that they can be redacted.
const maxDepth = 900

var errDeep = fmt.Errorf("is nested deeper than %d", maxDepth)

// redactJSON returns a JSON value without secrets.
func redactJSON(raw json.RawMessage, d *redact.Redactor, c redact.Counts) (json.RawMessage, error) {
	if depth(raw) > maxDepth {
		return nil, errDeep
	}
	text := "[" + string(raw) + "]" // the redactor does not take a single string for JSON
	out := d.Body("application/json", text, c)
	if out == text {
		return raw, nil
	}
	if !json.Valid([]byte(out)) {
		return nil, errDeep
	}
	return json.RawMessage(out[1 : len(out)-1]), nil
}
