package demo

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

const maxEmbedded = 5 << 19 // bytes of captures and screenshots in the program

// TestCaptureSize: the stored captures are small, and each belongs to a report.
func TestCaptureSize(t *testing.T) {
	var bytes int64
	err := fs.WalkDir(captures, ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		bytes += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if bytes > maxEmbedded {
		t.Errorf("the captures have %d bytes, more than %d", bytes, maxEmbedded)
	}
	var stored, used []string
	folders, err := captures.ReadDir("evidence")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		stored = append(stored, f.Name())
	}
	for _, r := range CapturedReports {
		for _, v := range r.Visits {
			used = append(used, v.Capture)
		}
	}
	slices.Sort(used)
	assert.Equal(t, "the captures of the reports", used, stored)
}

// TestClicksOfOneClock: the clicks of a capture and those of its replay are at one time, to 50 ms.
func TestClicksOfOneClock(t *testing.T) {
	for _, r := range CapturedReports {
		for _, v := range r.Visits {
			c, err := ReadCapture(v.Capture)
			must(t, err)
			clicks := replayedClicks(t, c)
			compared := 0
			for _, a := range c.Actions {
				if a.Type != "click" {
					continue
				}
				isNear := func(at time.Time) bool { return at.Sub(a.Timestamp.Time).Abs() <= 50*time.Millisecond }
				near := slices.ContainsFunc(clicks, isNear)
				if compared++; !near {
					t.Errorf("%s: no click of the replay is at %s", v.Capture, a.Timestamp)
				}
			}
			if compared == 0 {
				t.Errorf("%s has no clicks", v.Capture)
			}
		}
	}
}

// replayedClicks returns the times at which a replay has a click, a press or the end of one.
func replayedClicks(t *testing.T, c Capture) (clicks []time.Time) {
	t.Helper()
	for _, raw := range c.Replay {
		var e struct {
			Type      int
			Timestamp int64
			Data      struct{ Source, Type int }
		}
		must(t, json.Unmarshal(raw, &e))
		if e.Type == 3 && e.Data.Source == 2 && e.Data.Type <= 2 {
			clicks = append(clicks, time.UnixMilli(e.Timestamp))
		}
	}
	return clicks
}

// TestCapturedReports: a report names people and spaces of the first team, and its changes follow its first report.
func TestCapturedReports(t *testing.T) {
	team := Teams[0]
	if len(CapturedReports) < 12 {
		t.Errorf("%d reports, want a dozen", len(CapturedReports))
	}
	for _, r := range CapturedReports {
		if !slices.Contains(team.Spaces, r.Space) {
			t.Errorf("%s: the team has no space %s", r.Summary, r.Space)
		}
		if r.Assignee != "" && !slices.Contains(team.Members, r.Assignee) {
			t.Errorf("%s: the assignee %s is no member", r.Summary, r.Assignee)
		}
		for i, v := range r.Visits {
			if v.By != "ci" && !slices.Contains(team.Members, v.By) {
				t.Errorf("%s: the reporter %s is no member", r.Summary, v.By)
			}
			if v.Ago.Duration <= 0 || i > 0 && v.Ago.Duration >= r.Visits[i-1].Ago.Duration {
				t.Errorf("%s: visit %d is not after the one before", r.Summary, i)
			}
		}
		for _, c := range r.Changes {
			if c.Ago.Duration <= 0 || c.Ago.Duration >= r.Visits[0].Ago.Duration ||
				!slices.Contains(team.Members, c.By) {
				t.Errorf("%s: a change by %s, %s ago", r.Summary, c.By, c.Ago)
			}
		}
	}
}

// TestOneClock: at every start, the parts of a capture share one clock. Each is within the visit, a click that
// submits a form precedes its request, and each screenshot is in the actions and in the replay at its time.
func TestOneClock(t *testing.T) {
	end := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	for _, r := range CapturedReports {
		for _, v := range r.Visits {
			t.Run(v.Capture, func(t *testing.T) {
				c, err := v.evidence(end)
				if err != nil {
					t.Fatal(err)
				}
				assert.Equal(t, "the end", c.EndedAt, api.At(end))
				if len(c.Console) == 0 || len(c.Actions) < 2 || len(c.Replay) < 10 || len(c.Screenshots) == 0 {
					t.Errorf("%d console rows, %d actions, %d events and %d screenshots",
						len(c.Console), len(c.Actions), len(c.Replay), len(c.Screenshots))
				}
				for at, text := range times(t, c) {
					if at.Before(c.StartedAt.Add(-time.Second)) || at.After(c.EndedAt.Add(time.Second)) {
						t.Errorf("%s is at %s, and the visit from %s to %s", text, at, c.StartedAt, c.EndedAt)
					}
				}
				checkMarks(t, c)
				checkSubmits(t, c)
			})
		}
	}
}

// entry is an entry of a HAR.
type entry struct {
	StartedDateTime time.Time
	Request         struct{ Method, URL string }
	Response        struct {
		Headers []struct{ Name, Value string }
	}
}

func entries(t *testing.T, c Capture) []entry {
	t.Helper()
	var archive struct {
		Log struct {
			Pages   []struct{ StartedDateTime time.Time }
			Entries []entry
		}
	}
	if err := json.Unmarshal(c.Network, &archive); err != nil {
		t.Fatal(err)
	}
	if len(archive.Log.Pages) == 0 || len(archive.Log.Entries) < 5 {
		t.Fatalf("%d pages and %d requests", len(archive.Log.Pages), len(archive.Log.Entries))
	}
	for _, p := range archive.Log.Pages {
		archive.Log.Entries = append(archive.Log.Entries, entry{StartedDateTime: p.StartedDateTime})
	}
	return archive.Log.Entries
}

type replayEvent struct {
	Type, Timestamp int64
	Data            struct {
		Tag     string
		Payload struct{ Name string }
	}
}

func replay(t *testing.T, c Capture) []replayEvent {
	t.Helper()
	events := make([]replayEvent, len(c.Replay))
	for i, raw := range c.Replay {
		if err := json.Unmarshal(raw, &events[i]); err != nil {
			var head struct{ Type, Timestamp int64 } // data of another form
			if err := json.Unmarshal(raw, &head); err != nil {
				t.Fatal(err)
			}
			events[i] = replayEvent{Type: head.Type, Timestamp: head.Timestamp}
		}
	}
	return events
}

// times returns every time of a capture, with a description.
func times(t *testing.T, c Capture) map[time.Time]string {
	t.Helper()
	all := map[time.Time]string{}
	for _, e := range c.Console {
		all[e.Timestamp.Time] = "console: " + e.Message
	}
	for _, a := range c.Actions {
		all[a.Timestamp.Time] = "action: " + a.Type
	}
	for _, e := range replay(t, c) {
		all[time.UnixMilli(e.Timestamp).UTC()] = "an event of the replay"
	}
	for _, e := range entries(t, c) {
		all[e.StartedDateTime] = "request: " + e.Request.URL
		for _, h := range e.Response.Headers {
			if at, err := time.Parse(http.TimeFormat, h.Value); h.Name == "Date" && err == nil {
				all[at] = "the Date of " + e.Request.URL
			}
		}
	}
	return all
}

// checkMarks: each screenshot is an action, and a mark in the replay, at its time.
func checkMarks(t *testing.T, c Capture) {
	t.Helper()
	near := func(a, b time.Time) bool { return a.Sub(b).Abs() < time.Second }
	for _, s := range c.Screenshots {
		if !slices.ContainsFunc(c.Actions, func(a api.ActionEntry) bool {
			return a.Type == "screenshot" && *a.Text == s.Name && near(a.Timestamp.Time, s.At.Time)
		}) {
			t.Errorf("no action takes %s at %s", s.Name, s.At)
		}
		if !slices.ContainsFunc(replay(t, c), func(e replayEvent) bool {
			return e.Type == 5 && e.Data.Tag == "screenshot" && e.Data.Payload.Name == s.Name &&
				near(time.UnixMilli(e.Timestamp), s.At.Time)
		}) {
			t.Errorf("no event of the replay marks %s at %s", s.Name, s.At)
		}
	}
}

// checkSubmits: the submission of the order's form precedes its request by less than 2 seconds.
func checkSubmits(t *testing.T, c Capture) {
	t.Helper()
	for _, e := range entries(t, c) {
		if e.Request.Method != "POST" || !strings.HasSuffix(e.Request.URL, "/api/orders") {
			continue
		}
		if !slices.ContainsFunc(c.Actions, func(a api.ActionEntry) bool {
			before := e.StartedDateTime.Sub(a.Timestamp.Time)
			return a.Type == "submit" && *a.Selector == "#order" && before >= 0 && before < 2*time.Second
		}) {
			t.Errorf("no submission precedes the order at %s", e.StartedDateTime)
		}
	}
}

// TestFlood: the flooded capture has 2,000 requests and 10,000 console rows in order.
func TestFlood(t *testing.T) {
	last := CapturedReports[len(CapturedReports)-1].Visits[0]
	c, err := last.evidence(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var archive struct {
		Log struct{ Entries []json.RawMessage }
	}
	if err := json.Unmarshal(c.Network, &archive); err != nil {
		t.Fatal(err)
	}
	if n := len(archive.Log.Entries); n != floodRequests {
		t.Errorf("%d requests, want %d", n, floodRequests)
	}
	if n := len(c.Console); n < 9_900 || n > 10_100 {
		t.Errorf("%d console rows, want about 10,000", n)
	}
	if !slices.IsSortedFunc(c.Console, func(a, b api.ConsoleEntry) int { return a.Timestamp.Compare(b.Timestamp.Time) }) {
		t.Error("the console is out of order")
	}
}
