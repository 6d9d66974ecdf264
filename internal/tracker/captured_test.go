package tracker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/evidence"
	"bugslice/internal/tracker"
)

// attachHAR adds a HAR with requests to a slice.
func (w *world) attachHAR(t *testing.T, sliceID string, entries ...string) {
	t.Helper()
	text := `{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[` + strings.Join(entries, ",") +
		`]}}`
	_, err := w.CreateAttachment(t.Context(), w.owner,
		valid(api.CreateAttachment{SliceID: sliceID, Kind: api.KindNetwork, Name: "a.har"}),
		tracker.Upload{Body: strings.NewReader(text), ContentType: "application/json",
			Length: int64(len(text)), Memory: w.Reserve(w.owner, func() {})})
	must(t, err)
}

// TestCapturedEvidence: the rows of each kind are counted with their classes and their times, in the newest
// occurrence with evidence or in the one that is named.
func TestCapturedEvidence(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		ctx := t.Context()
		w.report(t, "f", api.SliceFields{}, "first", "second", "third")
		s := w.report(t, "f", api.SliceFields{}, "again")
		w.report(t, "f", api.SliceFields{Environment: api.Environment{Release: new("3.0")}})
		c, err := w.CapturedEvidence(ctx, w.owner, s.ID, 0)
		must(t, err)
		if c.Occurrence.Number != 2 || c.Occurrences != 3 || len(c.Others) != 3 || c.Console.Rows != 1 {
			t.Errorf("the newest evidence: %+v", c)
		}
		c, err = w.CapturedEvidence(ctx, w.owner, s.ID, 1)
		must(t, err)
		requested := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
		switch {
		case c.Console.Rows != 3 || c.Console.Count(evidence.LevelClass("error")) != 3 ||
			c.Console.Count(evidence.LevelClass("warn")) != 0:
			t.Errorf("the console: %+v", c.Console)
		case !c.Network.Start.Equal(requested) || !c.Network.End.Equal(requested.Add(time.Millisecond)) ||
			c.Network.Count(5) != 1:
			t.Errorf("the requests: %+v", c.Network)
		case c.Replay.Start.UnixMilli() != 1 || c.Replay.Files != 1 || c.Actions.Rows != 1:
			t.Errorf("the replay and the actions: %+v", c)
		}
		c, err = w.CapturedEvidence(ctx, w.owner, s.ID, 3)
		must(t, err)
		if c.Console.Files != 0 || *c.Occurrence.Environment.Release != "3.0" {
			t.Errorf("an occurrence without evidence: %+v", c)
		}
		if _, err := w.CapturedEvidence(ctx, w.owner, s.ID, 4); code(err) != api.CodeInvalidParameter {
			t.Errorf("an occurrence that does not exist: %v", err)
		}
		empty, err := w.CapturedEvidence(ctx, w.owner, w.file(t, "no evidence", "").ID, 0)
		must(t, err)
		if empty.Occurrence.Number != 1 || empty.Occurrences != 1 || !empty.Console.Start.IsZero() {
			t.Errorf("a slice without evidence: %+v", empty)
		}
	})
}

// TestCapturedRequest: the number of a request in a list, with any filter and on any page, is the one by which it is
// read, also when the requests are of several files.
func TestCapturedRequest(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		ctx, s := t.Context(), w.file(t, "requests", "")
		n := 0
		for range 3 {
			var entries []string
			for range 4 {
				n++
				entries = append(entries, harEntry(fmt.Sprint("request-", n), 200+n%2*300))
			}
			w.attachHAR(t, s.ID, entries...)
		}
		for _, in := range []api.ListNetwork{{Paging: api.Paging{Limit: 3}},
			{Paging: api.Paging{Limit: 2}, Status: []api.StatusClass{"5xx"}}} {
			in.SliceID = s.ID
			seen := 0
			for more := true; more; {
				p, err := w.ListNetwork(ctx, w.owner, valid(in))
				must(t, err)
				for _, row := range p.Data {
					seen++
					x, err := w.CapturedRequest(ctx, w.owner, s.ID, 1, row.Number)
					must(t, err)
					if x.Summary.URL != row.URL || row.URL != fmt.Sprint("https://shop.example/request-", row.Number) ||
						row.ResponseBytes == nil {
						t.Errorf("request %d is %s in the list, and %s alone", row.Number, row.URL, x.Summary.URL)
					}
				}
				if more = p.Pagination.HasMore; more {
					in.Cursor = *p.Pagination.Cursor
				}
			}
			if want := n / (1 + len(in.Status)); seen != want {
				t.Errorf("%d requests, not %d", seen, want)
			}
		}
		for _, number := range []int64{-1, 0, 13} {
			if _, err := w.CapturedRequest(ctx, w.owner, s.ID, 1, number); code(err) != api.CodeNotFound {
				t.Errorf("request %d: %v", number, err)
			}
		}
	})
}

// TestCapturedNeedsTheRight: the evidence is shown to those who see the slice.
func TestCapturedNeedsTheRight(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		ctx, c := t.Context(), newKeyPageCallers(t, w)
		s := w.report(t, "f", api.SliceFields{}, "x")
		weak := w.owner
		weak.Scopes = []api.Scope{api.SlicesWrite}
		for _, who := range []struct {
			name string
			access.Caller
			want string
		}{{"the owner", w.owner, ""}, {"a member", c.member, ""}, {"a service", c.service, ""},
			{"an outsider", c.outsider, api.CodeNotFound},
			{"a stranger", c.stranger, api.CodeNotFound},
			{"a service of another workspace", c.otherService, api.CodeNotFound},
			{"a caller without the scope", weak, api.CodeScope}} {
			_, captured := w.CapturedEvidence(ctx, who.Caller, s.ID, 0)
			_, request := w.CapturedRequest(ctx, who.Caller, s.ID, 1, 1)
			if want := who.want; want == "" && (captured != nil || request != nil) ||
				want != "" && (code(captured) != want || code(request) != want) {
				t.Errorf("%s: %v and %v", who.name, captured, request)
			}
		}
	})
}
