package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"bugslice/internal/redact"
)

// harStart matches the start of a HAR, even of one that was cut off.
var harStart = regexp.MustCompile(`^\s*\{\s*"log"\s*:\s*\{`)

// network adds the entries of a HAR, without secrets.
func (s *Set) network(raw json.RawMessage, d *redact.Redactor, c redact.Counts) error {
	var har any
	if err := decode(raw, &har); err != nil {
		return &Error{Detail: "its JSON is not well-formed", OtherFormat: errors.Is(err, errTrailing) || !harStart.Match(raw)}
	}
	log := object(object(har)["log"])
	if log == nil {
		return &Error{Detail: "must be a HAR, an object with log", OtherFormat: true}
	}
	entries, ok := log["entries"].([]any)
	if !ok {
		return &Error{Pointer: "/log/entries", Detail: "must be an array", OtherFormat: true}
	}
	if len(entries) > maxRows {
		return invalid("/log/entries", "at most %d entries", maxRows)
	}
	delete(log, "entries")
	var err error
	if s.Head, err = marshal(d.Value(log, c)); err != nil {
		return err
	}
	for i, e := range entries {
		entry := object(e)
		n, err := summarize(entry)
		if err != nil {
			return invalid(fmt.Sprintf("/log/entries/%d", i), "%s", err)
		}
		d.Entry(entry, c)
		if err := s.add(entry, StatusClass(n)); err != nil {
			return err
		}
	}
	return nil
}
