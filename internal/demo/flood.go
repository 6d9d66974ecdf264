package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bugslice/api"
)

const (
	floodRequests = 2000             // that a flooded capture has
	floodMark     = "stock: asking," // begins the first console row of each request
)

// flooded repeats the last request that the capture's page has sent and its console rows, as if the page had sent them
// for a longer time. Everything after it is later by that time.
func (c Capture) flooded(over time.Duration) (Capture, error) {
	first, last, attempts := 0, 0, 0
	for i, e := range c.Console {
		if strings.HasPrefix(e.Message, floodMark) {
			first, last, attempts = last, i, attempts+1
		}
	}
	if attempts < 2 {
		return c, errors.New("the capture has no repeated request")
	}
	from := c.Console[last].Timestamp.Time
	cycle := slices.Clone(c.Console[first:last])
	n, err := c.repeatRequest(from, over)
	if err != nil {
		return c, err
	}
	after, err := c.Starting(c.StartedAt.Add(over))
	if err != nil {
		return c, err
	}
	console := slices.Clone(c.Console[:last])
	for i := range n {
		by := from.Add(over * time.Duration(i) / time.Duration(n)).Sub(cycle[0].Timestamp.Time)
		for _, e := range cycle {
			e.Timestamp = api.At(e.Timestamp.Add(by))
			if strings.HasPrefix(e.Message, floodMark) {
				e.Message, e.Args = fmt.Sprintf("%s attempt %d", floodMark, attempts+i), nil
			}
			console = append(console, e)
		}
	}
	c.Console = append(console, after.Console[last:]...)
	for i, a := range c.Actions {
		if !a.Timestamp.Before(from) {
			c.Actions[i] = after.Actions[i]
		}
	}
	for i, s := range c.Screenshots {
		if !s.At.Before(from) {
			c.Screenshots[i] = after.Screenshots[i]
		}
	}
	c.EndedAt = after.EndedAt
	return c, c.delayReplay(after, from)
}

// repeatRequest repeats the last request before a time until there are floodRequests, and returns how many it added.
func (c *Capture) repeatRequest(from time.Time, over time.Duration) (added int, err error) {
	var archive struct {
		Log struct {
			Version json.RawMessage   `json:"version"`
			Creator json.RawMessage   `json:"creator"`
			Pages   json.RawMessage   `json:"pages"`
			Entries []json.RawMessage `json:"entries"`
		} `json:"log"`
	}
	if err := json.Unmarshal(c.Network, &archive); err != nil {
		return 0, err
	}
	var entry map[string]json.RawMessage
	if err := json.Unmarshal(archive.Log.Entries[len(archive.Log.Entries)-1], &entry); err != nil {
		return 0, err
	}
	added = floodRequests - len(archive.Log.Entries)
	for i := range added {
		at := from.Add(over * time.Duration(i) / time.Duration(added))
		if entry["startedDateTime"], err = json.Marshal(api.At(at)); err != nil {
			return 0, err
		}
		repeated, err := json.Marshal(entry)
		if err != nil {
			return 0, err
		}
		archive.Log.Entries = append(archive.Log.Entries, repeated)
	}
	c.Network, err = json.Marshal(archive)
	return added, err
}

// delayReplay replaces each event of the replay after a time by the later one.
func (c *Capture) delayReplay(later Capture, from time.Time) error {
	for i, raw := range c.Replay {
		var e struct{ Timestamp int64 }
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		if e.Timestamp >= from.UnixMilli() {
			c.Replay[i] = later.Replay[i]
		}
	}
	return nil
}
