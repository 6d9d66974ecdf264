package tracker

import (
	"bugslice/api"
	"encoding/json"
	"fmt"
	"maps"
)

// event is what is about to be written to the log: the subject as the API shows it, and
// the former values of what changed. The id is that of the record the event is about.
type event struct {
	Type     api.EventType
	ID       string
	Subject  any
	Previous map[string]any
}

// encode returns what the log holds of an event.
func (e event) encode() ([]byte, error) {
	kind, ok := api.EventOf(e.Type)
	if !ok {
		return nil, fmt.Errorf("tracker: %q is no type of event", e.Type)
	}
	data := map[string]any{kind.Subject: e.Subject}
	if e.Previous != nil {
		data["previous"] = maps.Clone(e.Previous)
	}
	return json.Marshal(data)
}
