package evidence

import (
	"encoding/json"
	"errors"
	"strconv"

	"bugslice/api"
)

// addReplay adds rrweb events, without secrets. An event that is not an object with a type and a timestamp is left
// out; a list without any other one is refused.
func (s *Set) addReplay(rows []json.RawMessage, r redaction) error {
	if len(rows) > maxRows {
		return invalid("", "at most %d events", maxRows)
	}
	events, err := s.replayEvents(rows)
	if err != nil {
		return err
	}
	masked := maskInputs(events, r)
	for i, raw := range events {
		if event, ok := masked[i]; ok {
			raw = event
		}
		redacted, err := r.json(raw)
		if err != nil {
			return err
		}
		if err := s.add(redacted, noClass); err != nil {
			return err
		}
	}
	return nil
}

// replayEvents returns the events of rows, unpacked and repaired.
func (s *Set) replayEvents(rows []json.RawMessage) ([]json.RawMessage, error) {
	u := unpacker{left: maxUnpacked}
	events := make([]json.RawMessage, 0, len(rows))
	var first error
	for i, raw := range rows {
		event, err := u.event(raw)
		if errors.Is(err, errUnpacks) {
			return nil, invalid("", "%s", err)
		}
		if err == nil {
			var replaced int
			event, replaced = repairText(event)
			s.repairs.characters(s.repairs.entry(i), replaced)
			event, err = replayEvent(event)
		}
		if err == nil {
			events = append(events, event)
			continue
		}
		if first == nil {
			first = invalid(s.repairs.entry(i), "%s", err)
		}
		s.repairs.add(s.repairs.entry(i), api.RepairDropped, 1, err.Error())
	}
	if len(events) == 0 && first != nil {
		return nil, first
	}
	return events, nil
}

var errNoEvent = errors.New("must be an rrweb event: an object with type and timestamp")

// replayEvent returns an event whose type and timestamp are numbers: a time in another form is converted.
func replayEvent(raw json.RawMessage) (json.RawMessage, error) {
	if depth(raw) > maxDepth {
		return nil, errDeep
	}
	var event map[string]json.RawMessage
	if json.Unmarshal(raw, &event) != nil || event == nil {
		return nil, errNoEvent
	}
	_, hasType := number(json.Number(event["type"]))
	_, hasTime := number(json.Number(event["timestamp"]))
	if hasType && hasTime {
		return raw, nil
	}
	var text string
	if json.Unmarshal(event["type"], &text) == nil && !hasType {
		kind, err := strconv.ParseUint(text, 10, 8)
		event["type"], hasType = strconv.AppendUint(nil, kind, 10), err == nil
	}
	if v := (scalar{raw: event["timestamp"]}); !hasTime && v.isContent() {
		var at api.Time
		at, _, hasTime = parseTime(v.text())
		event["timestamp"] = strconv.AppendInt(nil, at.UnixMilli(), 10)
	}
	if !hasType || !hasTime {
		return nil, errNoEvent
	}
	return marshal(event)
}
