package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// harStart matches the start of a HAR, even of one that was cut off.
var harStart = regexp.MustCompile(`^\s*\{\s*"log"\s*:\s*\{`)

// addNetwork adds the entries of a HAR, without secrets. It refuses a HAR that is damaged or lacks required members.
func (s *Set) addNetwork(raw json.RawMessage, r redaction) error {
	log, entries, err := decodeHAR(raw)
	if err != nil {
		return err
	}
	if s.Head, err = marshal(r.redactor.Value(log, r.counts)); err != nil {
		return err
	}
	for i, e := range entries {
		entry := object(e)
		summary, err := summarize(entry)
		if err != nil {
			return invalid(fmt.Sprintf("/log/entries/%d", i), "%s", err)
		}
		r.redactor.Entry(entry, r.counts)
		if err := s.add(entry, StatusClass(summary)); err != nil {
			return err
		}
	}
	return nil
}

// decodeHAR returns the log of a HAR without its entries, and the entries. It refuses too many of them.
func decodeHAR(raw json.RawMessage) (log map[string]any, entries []any, err error) {
	var har any
	if err := decode(raw, &har); err != nil {
		return nil, nil, &Error{Detail: "its JSON is not well-formed", OtherFormat: errors.Is(err, errTrailing) || !harStart.Match(raw)}
	}
	log = object(object(har)["log"])
	if log == nil {
		return nil, nil, &Error{Detail: "must be a HAR, an object with log", OtherFormat: true}
	}
	entries, ok := log["entries"].([]any)
	if !ok {
		return nil, nil, &Error{Pointer: "/log/entries", Detail: "must be an array", OtherFormat: true}
	}
	if len(entries) > maxRows {
		return nil, nil, invalid("/log/entries", "at most %d entries", maxRows)
	}
	delete(log, "entries")
	return log, entries, nil
}
