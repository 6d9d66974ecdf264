package tracker

import (
	"encoding/json"
	"fmt"

	"bugslice/api"
)

// event is an event before it is recorded.
type event struct {
	Type     api.EventType
	ID       string         // of the record that the event is about
	Subject  any            // that record, or one of its parts, as the API shows it; or the encodedData of the event
	Previous map[string]any // the former values of the members that changed
}

// encodedData is the data of an event in JSON.
type encodedData []byte

// encode returns the data of an event in JSON.
func (e event) encode() (encodedData, error) {
	if data, ok := e.Subject.(encodedData); ok {
		return data, nil
	}
	kind, ok := api.EventOf(e.Type)
	if !ok {
		return nil, fmt.Errorf("tracker: unknown event type %q", e.Type)
	}
	data := map[string]any{kind.Subject: e.Subject}
	if e.Previous != nil {
		data["previous"] = e.Previous
	}
	return json.Marshal(data)
}
