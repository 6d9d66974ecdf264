package evidence

import (
	"encoding/json"
	"fmt"

	"bugslice/internal/redact"
)

// replay adds rrweb events, which are objects with a type and a timestamp, without secrets.
func (s *Set) replay(events []json.RawMessage, d *redact.Redactor, c redact.Counts) error {
	if len(events) > maxRows {
		return invalid("", "at most %d events", maxRows)
	}
	masked := maskInputs(events, d, c)
	for i, raw := range events {
		var e map[string]any
		_ = decode(raw, &e) // nil when it is not an object
		_, hasType := number(e["type"])
		_, hasTime := number(e["timestamp"])
		if !hasType || !hasTime {
			return invalid(fmt.Sprintf("/%d", i), "must be an rrweb event: an object with type and timestamp")
		}
		if event, ok := masked[i]; ok {
			raw = event
		}
		raw, err := redactJSON(raw, d, c)
		if err != nil {
			return invalid(fmt.Sprintf("/%d", i), "%s", err)
		}
		if err := s.add(raw, noClass); err != nil {
			return err
		}
	}
	return nil
}
