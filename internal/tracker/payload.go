package tracker

import (
	"encoding/json"
	"maps"
	"unicode/utf8"

	"bugslice/api"
)

// maxPayload is how many bytes a message's body may have.
const maxPayload = 20_000

// payload returns an event as a webhook sends it. A long one is cut, and says what: the
// former values that are long, then the description as far as needed, then the metadata.
func payload(e api.Event) ([]byte, error) {
	b, err := json.Marshal(e)
	if err != nil || len(b) <= maxPayload {
		return b, err
	}
	e.Data.Previous = maps.Clone(e.Data.Previous)
	for _, name := range []string{"description", "metadata", "labels"} {
		if long, err := json.Marshal(e.Data.Previous[name]); err != nil || len(long) > 200 {
			delete(e.Data.Previous, name)
			e.Data.Cut = append(e.Data.Cut, "previous."+name)
		}
	}
	if b, err = json.Marshal(e); err != nil || len(b) <= maxPayload || e.Data.Slice == nil {
		return b, err
	}
	s := *e.Data.Slice // others may hold the subject
	e.Data.Slice = &s
	if s.Description != nil {
		e.Data.Cut = append(e.Data.Cut, "slice.description")
		text := *s.Description
		for s.Description = &text; text != ""; text = shorten(text) {
			if b, err = json.Marshal(e); err != nil || len(b) <= maxPayload {
				return b, err
			}
		}
	}
	s.Metadata, e.Data.Cut = map[string]string{}, append(e.Data.Cut, "slice.metadata")
	return json.Marshal(e)
}

// shorten cuts a text to three quarters, at a character's end.
func shorten(text string) string {
	text = text[:len(text)*3/4]
	for len(text) > 0 {
		if r, n := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || n != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}
