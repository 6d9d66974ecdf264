package evidence

import (
	"encoding/json"
	"fmt"
)

// addReplay adds rrweb events, without secrets. It refuses an event that is not an object with a type and a timestamp.
func (s *Set) addReplay(events []json.RawMessage, r redaction) error {
	if len(events) > maxRows {
		return invalid("", "at most %d events", maxRows)
	}
	masked := maskInputs(events, r)
	for i, raw := range events {
		if !isReplayEvent(raw) {
			return invalid(fmt.Sprintf("/%d", i), "must be an rrweb event: an object with type and timestamp")
		}
		if event, ok := masked[i]; ok {
			raw = event
		}
		redacted, err := r.json(raw)
		if err != nil {
			return invalid(fmt.Sprintf("/%d", i), "%s", err)
		}
		if err := s.add(redacted, noClass); err != nil {
			return err
		}
	}
	return nil
}

func isReplayEvent(raw json.RawMessage) bool {
	var event map[string]any
	if decode(raw, &event) != nil {
		return false
	}
	_, hasType := number(event["type"])
	_, hasTime := number(event["timestamp"])
	return hasType && hasTime
}
