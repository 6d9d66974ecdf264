package tracker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/input"
	"bugslice/internal/operator"
	"bugslice/internal/password"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/portable"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// world is a tracker with a clock that the test moves, an owner and a workspace.
type world struct {
	*tracker.Tracker
	operator.Operator
	store     *store.Store
	url       string // of a database of PostgreSQL
	path      string // of an SQLite database of engines
	now       time.Time
	owner     access.Caller
	workspace string
	passwords *password.Hasher
	sender    *fakeSender
	blobs     blob.Store // of a world that is limited
}

// engines runs a test on both databases, each of its own.
func engines(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	emptyEngines(t, func(t *testing.T, w *world) {
		w.fill(t)
		test(t, w)
	})
}

// emptyEngines is engines without an organisation.
func emptyEngines(t *testing.T, test func(t *testing.T, w *world)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, err := storetest.Reused(t, engine)
			must(t, err)
			s, err := store.Open(o)
			must(t, err)
			defer s.Close()
			w := newEmptyWorld(t, s)
			w.url, w.path = o.URL, o.Path
			test(t, w)
			if !t.Failed() && w.store.Ping(context.Background()) == nil { // it is not closed
				storetest.CheckIndex(t, w.store)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newEmptyWorld(t *testing.T, s *store.Store) *world {
	w := &world{store: s, now: time.Now(), passwords: passwordtest.Weak(), sender: &fakeSender{}}
	w.with(t, func(*tracker.Options) {})
	return w
}

func newWorld(t *testing.T, s *store.Store) *world {
	w := newEmptyWorld(t, s)
	w.fill(t)
	return w
}

// fill makes the owner and the workspace.
func (w *world) fill(t *testing.T) {
	t.Helper()
	f, err := w.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Test",
		Workspace: "One", Owner: operator.NewUser{Email: "owner@test.example"}, First: true})
	must(t, err)
	w.workspace = f.WorkspaceID
	w.owner, err = w.Authenticate(t.Context(), f.Token)
	must(t, err)
}

// with gives the world a tracker with other options.
func (w *world) with(tb *testing.T, change func(o *tracker.Options)) {
	tb.Helper()
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(tb, err)
	o := tracker.Options{Store: access.Seal(w.store), Secrets: ring, Passwords: w.passwords,
		Sender: w.sender, BaseURL: "http://test", Now: func() time.Time { return w.now },
		DatabaseClock: func(context.Context) (time.Time, bool, error) { return w.now, true, nil }}
	change(&o)
	t, authority := tracker.New(o)
	w.Tracker, w.Operator = t, operator.Operator{Operator: authority}
}

func (w *world) file(t *testing.T, summary, key string) api.Slice {
	t.Helper()
	in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: summary}}}
	in.IdempotencyKey = key
	made, err := w.CreateSlice(t.Context(), w.owner, valid(in))
	must(t, err)
	return made.Slice
}

// valid returns the input of an operation as the tracker takes it.
func valid[In any](in In) input.Valid[In] {
	v, err := input.Check(in)
	if err != nil {
		panic(err)
	}
	return v
}

func code(err error) string {
	var p *api.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return fmt.Sprint(err)
}

// TestDeletedSlices can be restored for 30 days and are purged after them.
func TestDeletedSlices(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		first, second := w.file(t, "first", ""), w.file(t, "second", "")
		for _, s := range []api.Slice{first, second} {
			_, err := w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: s.ID}))
			must(t, err)
		}
		w.pass(t, 29*24*time.Hour)
		_, err := w.RestoreSlice(t.Context(), w.owner, valid(api.RestoreSlice{SliceID: first.ID}))
		must(t, err)
		w.pass(t, 2*24*time.Hour)
		if _, err := w.RestoreSlice(t.Context(), w.owner,
			valid(api.RestoreSlice{SliceID: second.ID})); code(err) != api.CodeNotFound {
			t.Errorf("restored after 31 days: %v", err)
		}
		if _, err := w.store.Read(t.Context()).Slice(second.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("not purged: %v", err)
		}
		if _, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: first.ID})); err != nil {
			t.Errorf("purged what was restored: %v", err)
		}
		if n := w.file(t, "third", "").Number; n != 3 {
			t.Errorf("a purged number was given again: %d", n)
		}
	})
}

// TestIdempotencyKeysLastADay: the response to an Idempotency-Key is retained for 24 hours.
func TestIdempotencyKeysLastADay(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		first := w.file(t, "once", "key")
		w.pass(t, 23*time.Hour)
		if again := w.file(t, "once", "key"); again.ID != first.ID {
			t.Error("filed twice within a day")
		}
		w.now = w.now.Add(2 * time.Hour)
		if later := w.file(t, "once", "key"); later.ID == first.ID {
			t.Error("the key stands for its first answer for longer than a day")
		}
		w.pass(t, 25*time.Hour)
		if later := w.file(t, "other", "key"); later.Summary != "other" {
			t.Error("a forgotten key refuses another request")
		}
	})
}

func second[T any](_ T, err error) error { return err }

// TestEveryChangeIsAnEvent: under concurrent changes the log of a workspace is in order and without gaps, and has the
// actor and the former values.
func TestEveryChangeIsAnEvent(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var work sync.WaitGroup
		for i := range 8 {
			work.Go(func() {
				for j := range 5 {
					made := w.file(t, fmt.Sprint(i, "-", j), "")
					_, err := w.UpdateSlice(t.Context(), w.owner,
						valid(api.UpdateSlice{SliceID: made.ID, Patch: api.SlicePatch{"status": "resolved"}}))
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		events := w.events(t)
		kinds := map[api.EventType]int{}
		for i, e := range events {
			if int(e.Sequence) != i+1 {
				t.Fatalf("sequence %d at place %d", e.Sequence, i+1)
			}
			kinds[e.Type]++
			if e.Type == api.EventSliceStatusChanged {
				var data struct {
					Slice    api.Slice
					Previous map[string]any
				}
				must(t, json.Unmarshal([]byte(e.Data), &data))
				if data.Previous["status"] != "open" || data.Slice.Status != api.Resolved ||
					e.Actor != w.owner.ID || e.Key != w.owner.KeyID() {
					t.Fatalf("%+v", e)
				}
			}
		}
		if kinds[api.EventSliceCreated] != 40 || kinds[api.EventSliceUpdated] != 40 ||
			kinds[api.EventSliceStatusChanged] != 40 || kinds[api.EventWorkspaceCreated] != 1 {
			t.Errorf("%v", kinds)
		}
	})
}

type event struct {
	Sequence int64         `json:"sequence"`
	Type     api.EventType `json:"type"`
	Data     string        `json:"data"`
	Actor    string        `json:"actor_id"`
	Key      string        `json:"actor_key_id"`
}

// events reads the workspace's log out of a dump, by sequence.
func (w *world) events(t *testing.T) []event {
	t.Helper()
	dump := map[string]*strings.Builder{}
	_, err := w.store.Dump(context.Background(), func(table string) (io.Writer, error) {
		dump[table] = &strings.Builder{}
		return dump[table], nil
	})
	must(t, err)
	found := map[int64]event{}
	for line := range strings.Lines(dump["events"].String()) {
		var e struct {
			event
			Workspace *string `json:"workspace_id"`
		}
		must(t, json.Unmarshal([]byte(line), &e))
		if e.Workspace != nil && *e.Workspace == w.workspace {
			found[e.Sequence] = e.event
		}
	}
	var all []event
	for i := range int64(len(found)) {
		all = append(all, found[i+1])
	}
	return all
}

// TestEventsExpire: events are retained for 30 days; the refusal of an older position says how to continue. A cursor
// continues its list at any time: the first cursors of a list without after are as old as the retention.
func TestEventsExpire(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.file(t, "old", "")
		list := func(after string) ([]api.Event, error) {
			p, err := w.ListEvents(t.Context(), w.owner,
				valid(api.ListEvents{Paging: api.Paging{Limit: 10}, WorkspaceID: w.workspace, After: after}))
			return p.Data, err
		}
		old, err := list("")
		must(t, err)
		if len(old) != 1 || old[0].Data.Slice.Summary != "old" {
			t.Fatalf("%+v", old)
		}
		w.now = w.now.Add(29 * 24 * time.Hour)
		w.file(t, "new", "")
		if got, err := list(old[0].ID); err != nil || len(got) != 1 || got[0].Data.Slice.Summary != "new" {
			t.Errorf("%+v %v", got, err)
		}
		begun := api.ListEvents{Paging: api.Paging{Limit: 1}, WorkspaceID: w.workspace}
		first, err := w.ListEvents(t.Context(), w.owner, valid(begun))
		must(t, err)
		w.now = w.now.Add(2 * 24 * time.Hour)
		begun.Cursor = *first.Pagination.Cursor
		next, err := w.ListEvents(t.Context(), w.owner, valid(begun))
		if err != nil || len(next.Data) != 1 || next.Data[0].Data.Slice.Summary != "new" || next.Pagination.HasMore {
			t.Errorf("after the cursor: %+v, %v", next, err)
		}
		if _, err := list(old[0].ID); code(err) != api.CodeEventsGone {
			t.Errorf("behind an expired event: %v", err)
		}
		if got, err := list(""); err != nil || len(got) != 1 {
			t.Errorf("%+v %v", got, err)
		}
	})
}

// TestSimilarFindsOldReports: a report with all words of a new one is found, with any number of newer reports that
// share some of them.
func TestSimilarFindsOldReports(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var past []portable.HistoricalSlice
		for i := range 500 {
			summary := fmt.Sprint("Checkout fails for customer ", i)
			if i == 0 {
				summary = "Checkout fails: zebra voucher is refused"
			}
			past = append(past, portable.HistoricalSlice{Fields: api.SliceFields{Summary: summary},
				Reporter: api.Reporter{Type: "user", Name: "x"},
				FiledAt:  w.now.Add(time.Duration(i-1000) * time.Minute)})
		}
		filed, err := portable.Backfill(t.Context(), w.In(w.owner.Organization).OrganizationOperator, w.workspace, past)
		must(t, err)
		made, err := w.CreateSlice(t.Context(), w.owner,
			valid(api.CreateSlice{Hints: true, Body: api.NewSlice{WorkspaceID: &w.workspace,
				SliceFields: api.SliceFields{Summary: "Zebra voucher refused, checkout fails"}}}))
		must(t, err)
		if len(made.Similar) == 0 || made.Similar[0].ID != filed[0].ID {
			t.Errorf("%+v", made.Similar)
		}
		var walked []string
		in := api.ListSimilar{SliceID: made.ID, Paging: api.Paging{Limit: 1}}
		for more := true; more && len(walked) < 100; {
			p, err := w.ListSimilar(t.Context(), w.owner, valid(in))
			must(t, err)
			for _, s := range p.Data {
				walked = append(walked, s.ID)
				if s.ID == filed[0].ID { // who is gone from the list does not begin it anew
					_, err := w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: s.ID}))
					must(t, err)
				}
			}
			if more = p.Pagination.HasMore; more {
				in.Cursor = *p.Pagination.Cursor
			}
		}
		if len(walked) != len(made.Similar) {
			t.Errorf("%d of %d", len(walked), len(made.Similar))
		}
	})
}
