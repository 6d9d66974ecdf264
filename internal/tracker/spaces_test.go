package tracker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

func (w *world) deleteSpace(spaceID string) error {
	return second(w.DeleteSpace(context.Background(), w.owner,
		valid(api.DeleteSpace{WorkspaceID: w.workspace, SpaceID: spaceID})))
}

// wantCode reports an error that is not a problem with a code.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var p *api.Problem
	if !errors.As(err, &p) || p.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}

// fileIn files a slice in a space.
func (w *world) fileIn(t *testing.T, spaceID, summary string) string {
	t.Helper()
	fields := api.SliceFields{Summary: summary, SpaceID: &spaceID}
	made, err := w.CreateSlice(t.Context(), w.owner,
		valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: fields}}))
	must(t, err)
	return made.ID
}

// detached returns how often each slice has an event by the service in which a member loses its value.
func (w *world) detached(t *testing.T, member, former string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for cursor := ""; ; {
		page, err := w.ListEvents(t.Context(), w.owner, valid(api.ListEvents{WorkspaceID: w.workspace,
			Paging: api.Paging{Limit: 100, Cursor: cursor}}))
		must(t, err)
		for _, e := range page.Data {
			if e.Type == api.EventSliceUpdated && e.Data.Previous[member] == former && e.Actor.Type == "system" {
				current, err := json.Marshal(e.Data.Slice)
				must(t, err)
				assert.Contains(t, "the slice of the event", string(current), `"`+member+`":null`)
				counts[e.Data.Slice.ID]++
			}
		}
		if !page.Pagination.HasMore {
			return counts
		}
		cursor = *page.Pagination.Cursor
	}
}

// wantWithoutSpace reports a slice that any reader sees in a space.
func (w *world) wantWithoutSpace(t *testing.T, sliceID string) {
	t.Helper()
	s, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: sliceID}))
	must(t, err)
	if s.SpaceID != nil {
		t.Errorf("%s is in the space %s", sliceID, *s.SpaceID)
	}
	for _, s := range w.everySlice(t, api.SliceFilters{WorkspaceID: w.workspace}) {
		if s.ID == sliceID && s.SpaceID != nil {
			t.Errorf("%s is listed in the space %s", sliceID, *s.SpaceID)
		}
	}
	for _, s := range w.everySlice(t, api.SliceFilters{SpaceID: []string{"none"}}) {
		if s.ID == sliceID {
			return
		}
	}
	t.Errorf("%s is not listed without a space", sliceID)
}

// TestDeletedSpaceIsGoneAtOnce: before any slice is detached no reader sees a deleted space. The slices are detached
// with one event each; a deleted slice without one.
func TestDeletedSpaceIsGoneAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, spaceID, other := t.Context(), w.space(t, "Checkout"), w.space(t, "Search")
		kept, changed, moved, deleted := w.fileIn(t, spaceID, "kept"),
			w.fileIn(t, spaceID, "changed"), w.fileIn(t, spaceID, "moved"), w.fileIn(t, spaceID, "deleted")
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: deleted}))))
		w.everySlice(t, api.SliceFilters{}) // they are cached
		must(t, w.deleteSpace(spaceID))

		in := api.GetSpace{WorkspaceID: w.workspace, SpaceID: spaceID}
		_, err := w.GetSpace(ctx, w.owner, valid(in))
		wantCode(t, err, api.CodeNotFound)
		_, err = w.UpdateSpace(ctx, w.owner, valid(api.UpdateSpace{WorkspaceID: w.workspace,
			SpaceID: spaceID, Patch: api.SpacePatch{"name": "x"}}))
		wantCode(t, err, api.CodeNotFound)
		wantCode(t, w.deleteSpace(spaceID), api.CodeNotFound)
		page, err := w.ListSpaces(ctx, w.owner, valid(api.ListSpaces{WorkspaceID: w.workspace, Paging: ten}))
		must(t, err)
		if len(page.Data) != 1 || page.Data[0].ID != other {
			t.Errorf("the list of spaces: %+v", page.Data)
		}
		if all := w.everySlice(t, api.SliceFilters{SpaceID: []string{spaceID}}); len(all) != 0 {
			t.Errorf("%d slices are found by the deleted space", len(all))
		}
		fields := api.SliceFields{Summary: "new", SpaceID: &spaceID}
		_, err = w.CreateSlice(ctx, w.owner,
			valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: fields}}))
		wantCode(t, err, api.CodeInvalidBody)
		patch := func(sliceID string, p api.SlicePatch) {
			must(t, second(w.UpdateSlice(ctx, w.owner, valid(api.UpdateSlice{SliceID: sliceID, Patch: p}))))
		}
		patch(changed, api.SlicePatch{"summary": "changed again", "spaceId": nil})
		patch(moved, api.SlicePatch{"spaceId": other})
		w.wantWithoutSpace(t, kept)
		w.wantWithoutSpace(t, changed)
		w.checkCounts(t, api.SliceFilters{})
		w.checkCounts(t, api.SliceFilters{SpaceID: []string{"none"}})
		w.checkCounts(t, api.SliceFilters{SpaceID: []string{spaceID, other}})

		w.RunJobs(ctx)
		must(t, second(w.RestoreSlice(ctx, w.owner, valid(api.RestoreSlice{SliceID: deleted}))))
		for _, sliceID := range []string{kept, changed, deleted} {
			w.wantWithoutSpace(t, sliceID)
		}
		if got := w.detached(t, "spaceId", spaceID); len(got) != 2 || got[kept] != 1 || got[changed] != 1 {
			t.Errorf("events of detached slices: %v", got)
		}
		s, err := w.GetSlice(ctx, w.owner, valid(api.GetSlice{SliceID: moved}))
		must(t, err)
		if s.SpaceID == nil || *s.SpaceID != other {
			t.Errorf("the moved slice is in %v", s.SpaceID)
		}
	})
}

// TestDetachingResumes: when the process ends while slices are detached, another node detaches the others as soon as
// the lease has expired, and one that is alone at once. Each slice has one event.
func TestDetachingResumes(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		spaceID := w.space(t, "Checkout")
		const count = 430
		for i := range count {
			w.fileIn(t, spaceID, fmt.Sprint("slice ", i))
		}
		must(t, w.deleteSpace(spaceID))
		killed := func(atRead int, work func(t *tracker.Tracker, ctx context.Context)) { // in its second batch
			t.Helper()
			ctx, kill := context.WithCancel(t.Context())
			before, reads := len(w.detached(t, "spaceId", spaceID)), 0
			w.with(t, func(o *tracker.Options) {
				o.Now = func() time.Time {
					if reads++; reads == atRead {
						kill()
					}
					return w.now
				}
			})
			work(w.Tracker, ctx)
			w.with(t, func(*tracker.Options) {})
			if n := len(w.detached(t, "spaceId", spaceID)) - before; n == 0 || n > 200 {
				t.Fatalf("%d slices were detached before the end, after %d", n, before)
			}
		}
		killed(340, func(t *tracker.Tracker, ctx context.Context) { t.RunJobs(ctx) })
		before := len(w.detached(t, "spaceId", spaceID))
		w.now = w.now.Add(14 * time.Second)
		if w.ResumeJobs(t.Context()); len(w.detached(t, "spaceId", spaceID)) != before {
			t.Error("a job was resumed before its lease had expired")
		}
		w.now = w.now.Add(time.Second)
		killed(250, (*tracker.Tracker).ResumeJobs)
		must(t, w.ReleaseLeases(t.Context()))
		w.ResumeJobs(t.Context())
		got := w.detached(t, "spaceId", spaceID)
		for sliceID, events := range got {
			if events != 1 {
				t.Errorf("%s has %d events", sliceID, events)
			}
		}
		if len(got) != count {
			t.Errorf("%d slices are detached", len(got))
		}
		known, err := w.store.Read(t.Context()).HasSpace(w.workspace, spaceID)
		must(t, err)
		if known {
			t.Error("the space is still stored")
		}
	})
}
