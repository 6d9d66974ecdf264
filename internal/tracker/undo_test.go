package tracker_test

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// in returns a caller in a new request.
func in(c access.Caller) access.Caller {
	c.Request = access.Request{ID: id.New(id.Request), ClientAddress: "203.0.113.7"}
	return c
}

// TestUndoChanges: the former values of a request's changes come back, those that were changed again stay, and nobody
// undoes the request of somebody else.
func TestUndoChanges(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		urgent := api.Priority("urgent")
		original := w.report(t, "original", api.SliceFields{Summary: "original"})
		duplicate := api.Duplicate
		fields := []api.SliceFields{
			{Summary: "a", Priority: &urgent, Labels: []string{"x", "y"}},
			{Summary: "b", AssigneeID: &w.owner.ID, Status: api.InProgress},
			{Summary: "c", Status: api.Closed, Resolution: &duplicate, DuplicateOfID: &original.ID,
				FixedInRelease: new("1.0")}, {Summary: "d"}, {Summary: "e"},
		}
		var before []api.Slice
		for _, f := range fields {
			before = append(before, w.report(t, f.Summary, f))
		}
		get := func(sliceID string) api.Slice {
			s, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: sliceID}))
			must(t, err)
			return s
		}
		change := func(c access.Caller, sliceID string, p api.SlicePatch) {
			must(t, second(w.UpdateSlice(t.Context(), c, valid(api.UpdateSlice{SliceID: sliceID, Patch: p}))))
		}
		c := in(w.owner)
		var items []api.BatchUpdateItem
		for _, s := range before {
			items = append(items, api.BatchUpdateItem{ID: s.Reference, Patch: api.SlicePatch{"status": "resolved",
				"resolution": "fixed", "fixedInRelease": "2.0", "priority": "low", "labels": []any{"done"}, "assigneeId": nil}})
		}
		must(t, second(w.BatchUpdateSlices(t.Context(), c,
			valid(api.BatchUpdateSlices{Body: api.BatchUpdate{Items: items}}))))
		change(in(w.owner), before[3].ID, api.SlicePatch{"resolution": "wont_fix", "summary": "changed again"})
		must(t, second(w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: before[4].ID}))))
		must(t, second(w.CreateComment(t.Context(), w.owner,
			valid(api.CreateComment{SliceID: before[0].ID, Body: api.CommentFields{Body: "meanwhile"}}))))

		other, _ := w.key(t)
		for _, stranger := range []access.Caller{other, in(other)} {
			if out, err := w.UndoChanges(t.Context(), stranger, c.Request.ID); err != nil || len(out.Restored)+
				len(out.Changed) > 0 {
				t.Errorf("another key has undone it: %+v, %v", out, err)
			}
		}
		for _, requestID := range []string{"", "req_1", before[0].ID} {
			_, err := w.UndoChanges(t.Context(), w.owner, requestID)
			wantCode(t, err, api.CodeNotFound)
		}
		out, err := w.UndoChanges(t.Context(), in(w.owner), c.Request.ID)
		must(t, err)
		slices.Sort(out.Restored)
		want := tracker.Undone{Restored: []string{before[0].Reference, before[1].Reference, before[2].Reference,
			before[3].Reference},
			Changed: []string{before[3].Reference}, Refused: out.Refused}
		slices.Sort(want.Restored)
		assert.Equal(t, "the outcome", out, want)
		assert.Equal(t, "the refusals", refusals(out), []string{before[4].Reference + " not_found deleted"})
		for _, s := range before[:3] {
			if now := get(s.ID); !reflect.DeepEqual(now.SliceFields, s.SliceFields) {
				t.Errorf("%s: %+v, was %+v", s.Summary, now.SliceFields, s.SliceFields)
			}
		}
		d := get(before[3].ID)
		if d.Status != api.Resolved || *d.Resolution != api.WontFix ||
			d.Summary != "changed again" || d.Priority != nil || len(d.Labels) > 0 {
			t.Errorf("a slice that was changed again is %+v", d.SliceFields)
		}
		if out, err = w.UndoChanges(t.Context(), in(w.owner), c.Request.ID); err != nil || len(out.Restored) > 0 {
			t.Errorf("undone again: %+v, %v", out, err)
		}
	})
}

// refusals returns the references of refused slices with the codes of their problems and faults.
func refusals(out tracker.Undone) (all []string) {
	for _, r := range out.Refused {
		text := r.Reference + " " + r.Problem.Code
		for _, f := range r.Problem.Errors {
			text += " " + f.Code + f.Pointer
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// TestRefusedUndo: an undo that is refused has its reason, and is not counted as changed by somebody.
func TestRefusedUndo(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		change := func(c access.Caller, s api.Slice, p api.SlicePatch) {
			must(t, second(w.UpdateSlice(t.Context(), c, valid(api.UpdateSlice{SliceID: s.ID, Patch: p}))))
		}
		member := w.user(t, "leaves@test.example")
		left := w.report(t, "left", api.SliceFields{Summary: "left", AssigneeID: &member.UserID})
		space, err := w.CreateSpace(t.Context(), w.owner,
			valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "gone"}}))
		must(t, err)
		spaced := w.report(t, "spaced", api.SliceFields{Summary: "spaced", SpaceID: &space.ID})
		one, two := w.report(t, "one", api.SliceFields{Summary: "one"}),
			w.report(t, "two", api.SliceFields{Summary: "two"})
		change(w.owner, one, api.SlicePatch{"duplicateOfId": two.ID})
		filed := func() api.Slice {
			in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				Fingerprint: new("same"), SliceFields: api.SliceFields{Summary: "same"}}}
			made, err := w.CreateSlice(t.Context(), w.owner, valid(in))
			must(t, err)
			return made.Slice
		}
		same := filed()
		c := in(w.owner)
		var items []api.BatchUpdateItem
		for _, s := range []api.Slice{left, spaced, one, same} {
			items = append(items, api.BatchUpdateItem{ID: s.Reference,
				Patch: api.SlicePatch{"status": "closed", "assigneeId": nil, "spaceId": nil,
					"duplicateOfId": nil}})
		}
		must(t, second(w.BatchUpdateSlices(t.Context(), c,
			valid(api.BatchUpdateSlices{Body: api.BatchUpdate{Items: items}}))))
		must(t, w.In(w.owner.Organization).RemoveMember(t.Context(), w.workspace, member.UserID))
		must(t, second(w.DeleteSpace(t.Context(), w.owner,
			valid(api.DeleteSpace{WorkspaceID: w.workspace, SpaceID: space.ID}))))
		change(w.owner, two, api.SlicePatch{"duplicateOfId": one.ID})
		other := filed()
		out, err := w.UndoChanges(t.Context(), in(w.owner), c.Request.ID)
		must(t, err)
		assert.Equal(t, "restored or changed", append(out.Restored, out.Changed...), []string(nil))
		want := []string{left.Reference + " invalid_body unknown_reference/assigneeId",
			spaced.Reference + " invalid_body unknown_reference/spaceId",
			one.Reference + " invalid_body duplicate_cycle/duplicateOfId", same.Reference + " conflict"}
		slices.Sort(want)
		assert.Equal(t, "the refusals", refusals(out), want)
		for _, r := range out.Refused {
			if r.Reference == same.Reference && !strings.HasPrefix(r.Problem.Detail, other.Reference+" is open") {
				t.Errorf("%q does not name %s", r.Problem.Detail, other.Reference)
			}
		}
	})
}

// TestUndoOfDeletions: the slices that a request has deleted come back. One that somebody has restored stays as it
// is, also when it was deleted again, and one that cannot be restored has the reason.
func TestUndoOfDeletions(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		filed := func() api.Slice {
			in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				Fingerprint: new("same"), SliceFields: api.SliceFields{Summary: "same"}}}
			made, err := w.CreateSlice(t.Context(), w.owner, valid(in))
			must(t, err)
			return made.Slice
		}
		deleted, restored, again, same := w.file(t, "deleted", ""), w.file(t, "restored", ""), w.file(t, "again", ""),
			filed()
		c := in(w.owner)
		var items []api.BatchDeleteItem
		for _, s := range []api.Slice{deleted, restored, again, same} {
			items = append(items, api.BatchDeleteItem{ID: s.Reference})
		}
		must(t, second(w.BatchDeleteSlices(t.Context(), c,
			valid(api.BatchDeleteSlices{Body: api.BatchDelete{Items: items}}))))
		w.now = w.now.Add(time.Second)
		for _, s := range []api.Slice{restored, again} {
			must(t, second(w.RestoreSlice(t.Context(), w.owner, valid(api.RestoreSlice{SliceID: s.ID}))))
		}
		must(t, second(w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: again.ID}))))
		other := filed()

		stranger, _ := w.key(t)
		out, err := w.UndoChanges(t.Context(), in(stranger), c.Request.ID)
		must(t, err)
		assert.Equal(t, "the outcome for another key", out, tracker.Undone{})
		out, err = w.UndoChanges(t.Context(), in(w.owner), c.Request.ID)
		must(t, err)
		assert.Equal(t, "the outcome", out, tracker.Undone{Restored: []string{deleted.Reference},
			Changed: []string{again.Reference}, Refused: out.Refused})
		assert.Equal(t, "the refusals", refusals(out), []string{same.Reference + " conflict"})
		if detail := out.Refused[0].Problem.Detail; !strings.HasPrefix(detail, other.Reference+" is open") {
			t.Errorf("%q does not name %s", detail, other.Reference)
		}
		out, err = w.UndoChanges(t.Context(), in(w.owner), c.Request.ID)
		must(t, err)
		assert.Equal(t, "restored again", out.Restored, []string(nil))
	})
}

// TestUndoBesideAnotherField: an undo restores a slice of which somebody changes another field at the same moment.
func TestUndoBesideAnotherField(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s, c := w.file(t, "one", ""), in(w.owner)
		must(t, second(w.UpdateSlice(t.Context(), c, valid(api.UpdateSlice{SliceID: s.ID,
			Patch: api.SlicePatch{"status": "closed"}}))))
		changed := make(chan bool)
		var work sync.WaitGroup
		work.Go(func() {
			must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
				locked, err := tx.LockSlice(s.ID)
				if err == nil {
					locked.Summary = "another summary"
					err = tx.UpdateSlice(&locked)
				}
				close(changed)
				time.Sleep(200 * time.Millisecond) // the undo has read the slice, and waits
				return err
			}))
		})
		<-changed
		out, err := w.UndoChanges(t.Context(), in(w.owner), c.Request.ID)
		work.Wait()
		must(t, err)
		assert.Equal(t, "the outcome", out, tracker.Undone{Restored: []string{s.Reference}, Status: "open"})
	})
}

// TestUndoOfKnownDuplicate: a slice that named its original before it was resolved as a duplicate names it after the
// undo.
func TestUndoOfKnownDuplicate(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		original := w.report(t, "original", api.SliceFields{Summary: "original"})
		s := w.report(t, "duplicate", api.SliceFields{Summary: "duplicate", DuplicateOfID: &original.ID})
		c := in(w.owner)
		must(t, second(w.UpdateSlice(t.Context(), c, valid(api.UpdateSlice{SliceID: s.ID, Patch: api.SlicePatch{
			"status": "resolved", "resolution": "duplicate", "duplicateOfId": original.ID}}))))
		for _, want := range []api.Status{api.Open, api.Resolved, api.Open} {
			undo := in(w.owner)
			must(t, second(w.UndoChanges(t.Context(), undo, c.Request.ID)))
			now, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID}))
			must(t, err)
			if now.Status != want || now.DuplicateOfID == nil || *now.DuplicateOfID != original.ID {
				t.Errorf("%+v, want it %s, and a duplicate of %s", now.SliceFields, want, original.ID)
			}
			c = undo
		}
	})
}

// TestUndoOfASwap: the changes of a request are undone from the last to the first, since a later one may depend on an
// earlier one.
func TestUndoOfASwap(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		duplicate := api.Duplicate
		a := w.report(t, "a", api.SliceFields{Summary: "a"})
		b := w.report(t, "b", api.SliceFields{Summary: "b", Status: api.Closed, Resolution: &duplicate,
			DuplicateOfID: &a.ID})
		c := in(w.owner)
		results, err := w.BatchUpdateSlices(t.Context(), c,
			valid(api.BatchUpdateSlices{Body: api.BatchUpdate{Items: []api.BatchUpdateItem{
				{ID: b.ID, Patch: api.SlicePatch{"status": "open"}},
				{ID: a.ID, Patch: api.SlicePatch{"status": "closed", "resolution": "duplicate", "duplicateOfId": b.ID}},
			}}}))
		must(t, err)
		for _, r := range results.Results {
			if r.Problem != nil {
				t.Fatal(r.Problem)
			}
		}
		out, err := w.UndoChanges(t.Context(), in(w.owner), c.Request.ID)
		must(t, err)
		assert.Equal(t, "the outcome", out, tracker.Undone{Restored: []string{b.Reference, a.Reference}})
		for _, before := range []api.Slice{a, b} {
			assert.Equal(t, before.Summary, w.slice(t, before.ID).SliceFields, before.SliceFields)
		}
	})
}

// TestMemberNames: only members of a workspace that the caller sees have names.
func TestMemberNames(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		names, err := w.MemberNames(t.Context(), w.owner, w.workspace, []string{w.owner.ID, "usr_none"})
		must(t, err)
		if want := map[string]string{w.owner.ID: w.owner.Name}; !reflect.DeepEqual(names, want) {
			t.Errorf("%v, want %v", names, want)
		}
		_, err = w.MemberNames(t.Context(), w.owner, "wsp_none", []string{w.owner.ID})
		wantCode(t, err, api.CodeNotFound)
	})
}
