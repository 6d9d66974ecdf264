package demo

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"bugslice/api"
)

// Capture is the evidence of one visit to examples/shop. All its times are of one clock.
type Capture struct {
	StartedAt   api.Time        `json:"startedAt"`
	EndedAt     api.Time        `json:"endedAt"`
	UserAgent   string          `json:"userAgent"`
	Environment api.Environment `json:"environment"`
	Screenshots []Screenshot    `json:"screenshots"`
	api.Evidence
}

// Screenshot is a PNG that was taken during the visit. Its file is beside the capture.
type Screenshot struct {
	Name string   `json:"name"`
	At   api.Time `json:"at"`
}

// captures has a folder for each visit, with the capture and its screenshots. `make demo-evidence` writes it.
//
//go:embed evidence
var captures embed.FS

// ReadCapture reads the capture of a visit.
func ReadCapture(name string) (Capture, error) {
	var c Capture
	packed, err := captures.ReadFile("evidence/" + name + "/capture.json.gz")
	if err != nil {
		return c, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return c, err
	}
	text, err := io.ReadAll(unpacked)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	return c, err
}

// Starting returns the capture as if the visit had started at another time.
func (c Capture) Starting(at time.Time) (Capture, error) {
	by := at.Sub(c.StartedAt.Time)
	shift := func(t api.Time) api.Time { return api.At(t.Add(by)) }
	c.StartedAt, c.EndedAt = shift(c.StartedAt), shift(c.EndedAt)
	c.Screenshots = mapped(c.Screenshots, func(s Screenshot) Screenshot { return Screenshot{s.Name, shift(s.At)} })
	c.Console = mapped(c.Console, func(e api.ConsoleEntry) api.ConsoleEntry { e.Timestamp = shift(e.Timestamp); return e })
	c.Actions = mapped(c.Actions, func(a api.ActionEntry) api.ActionEntry { a.Timestamp = shift(a.Timestamp); return a })
	var err error
	if c.Replay, err = shiftReplay(c.Replay, by); err != nil {
		return c, err
	}
	c.Network, err = shiftArchive(c.Network, by)
	return c, err
}

func mapped[T any](list []T, f func(T) T) []T {
	result := make([]T, len(list))
	for i, v := range list {
		result[i] = f(v)
	}
	return result
}

// shiftReplay shifts the times of rrweb events. Times within an event are relative to it.
func shiftReplay(events []json.RawMessage, by time.Duration) ([]json.RawMessage, error) {
	shifted := make([]json.RawMessage, len(events))
	for i, raw := range events {
		var e struct {
			Type      int             `json:"type"`
			Data      json.RawMessage `json:"data"`
			Timestamp int64           `json:"timestamp"`
		}
		err := json.Unmarshal(raw, &e)
		if err == nil {
			e.Timestamp += by.Milliseconds()
			shifted[i], err = json.Marshal(e)
		}
		if err != nil {
			return nil, err
		}
	}
	return shifted, nil
}

// shiftArchive shifts the times of the pages and entries of a HAR, and sets the Date of each response.
func shiftArchive(raw json.RawMessage, by time.Duration) (json.RawMessage, error) {
	var archive struct {
		Log map[string]any `json:"log"`
	}
	if err := json.Unmarshal(raw, &archive); err != nil {
		return nil, err
	}
	for _, name := range []string{"pages", "entries"} {
		list, _ := archive.Log[name].([]any)
		for _, item := range list {
			entry, _ := item.(map[string]any)
			text, _ := entry["startedDateTime"].(string)
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return nil, err
			}
			entry["startedDateTime"] = api.At(at.Add(by))
			setDate(entry, at.Add(by))
		}
	}
	return json.Marshal(archive)
}

// setDate sets the Date of the response of an entry that started at a time: when it was complete.
func setDate(entry map[string]any, startedAt time.Time) {
	took, _ := entry["time"].(float64)
	response, _ := entry["response"].(map[string]any)
	headers, _ := response["headers"].([]any)
	for _, item := range headers {
		if header, _ := item.(map[string]any); header["name"] == "Date" {
			header["value"] = startedAt.Add(time.Duration(took * float64(time.Millisecond))).UTC().
				Format(http.TimeFormat)
		}
	}
}
