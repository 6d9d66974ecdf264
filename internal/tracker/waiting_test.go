package tracker_test

import (
	"context"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
	"bugslice/internal/tracker"
)

// reader makes a user who is a member of the world's workspace, and returns its caller.
func (w *world) reader(t *testing.T, email string) access.Caller {
	t.Helper()
	added := operator.NewUser{Email: email, WithToken: true, Workspaces: []string{w.workspace}}
	u, err := w.In(w.owner.Organization).AddUser(t.Context(), added)
	must(t, err)
	c, err := w.Authenticate(t.Context(), u.Token)
	must(t, err)
	return c
}

// TestReadsEndWithTheirRights: what a read was made from while its caller's rights ended is not shown.
func TestReadsEndWithTheirRights(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		e := newEvident(t, w)
		reads := map[string]func(access.Caller) error{
			"console": func(c access.Caller) error {
				return second(e.ListConsole(context.Background(), c,
					valid(api.ListConsole{SliceID: e.slices[0], Paging: api.Paging{Limit: 5}})))
			},
			"Markdown": func(c access.Caller) error {
				return second(e.Markdown(context.Background(), c,
					valid(api.GetSlice{SliceID: e.slices[0], MaxTokens: 1000})))
			},
		}
		endings := map[string]func(access.Caller) (string, error){
			"removed": func(c access.Caller) (string, error) {
				return api.CodeNotFound, e.In(w.owner.Organization).RemoveMember(t.Context(), w.workspace, c.ID)
			},
			"disabled": func(c access.Caller) (string, error) {
				return api.CodeUnauthorized, e.Operator.DisableUser(t.Context(), c.ID)
			},
		}
		for name, read := range reads {
			for ending, end := range endings {
				c := w.reader(t, name+ending+"@test.example")
				e.with(t, func(o *tracker.Options) { o.Blobs = e.gate }) // nothing is cached
				e.gate.gate = make(chan struct{})
				done := make(chan error, 1)
				go func() { done <- read(c) }()
				e.await(t, 1)
				time.Sleep(600 * time.Millisecond)
				want, err := end(c)
				must(t, err)
				close(e.gate.gate)
				if err := <-done; code(err) != want {
					t.Errorf("%s, %s: %v, want %s", name, ending, err, want)
				}
			}
		}
	})
}

// TestHintsEndWithTheirRights: what is similar to a report that was filed is not shown when the rights of
// who filed it ended while it was looked for. The report stays.
func TestHintsEndWithTheirRights(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		e := newEvident(t, w)
		file := func(c access.Caller) (api.FiledSlice, error) {
			in := api.CreateSlice{Hints: true,
				Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: "seen"}}}
			return e.CreateSlice(context.Background(), c, valid(in))
		}
		if made, err := file(w.owner); err != nil || len(made.Similar) == 0 {
			t.Fatalf("%d similar slices are shown, and %v", len(made.Similar), err)
		}
		c := w.reader(t, "filer@test.example")
		filed := func() int64 {
			last, err := w.store.Read(t.Context()).LastSequences([]string{w.workspace})
			must(t, err)
			return last[w.workspace]
		}
		before, end := filed(), e.occupy(t)
		done := make(chan api.FiledSlice, 1)
		go func() {
			made, err := file(c)
			if err != nil {
				t.Error(err)
			}
			done <- made
		}()
		for filed() == before {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(700 * time.Millisecond)
		must(t, e.In(w.owner.Organization).RemoveMember(t.Context(), w.workspace, c.ID))
		end()
		if made := <-done; len(made.Similar) != 0 {
			t.Errorf("%d similar slices were shown to who had left", len(made.Similar))
		}
	})
}
