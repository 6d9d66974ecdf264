package tracker_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// kept files a slice under a fingerprint, which reopens what is fixed, and leaves closed what is closed.
func (w *world) kept(t *testing.T, fingerprint string) (api.FiledSlice, error) {
	return w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Reopen: true, KeepClosed: true,
		Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: "s"}, Fingerprint: &fingerprint,
			Evidence: &api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.now), Message: "m"}}}}}))
}

// TestClosedSliceIsKept: a filing with keepClosed reopens a slice that is resolved as fixed, and writes nothing when it
// is closed or resolved otherwise.
func TestClosedSliceIsKept(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		for i, c := range []struct {
			patch api.SlicePatch
			kept  bool
		}{
			{api.SlicePatch{"status": "resolved"}, false},
			{api.SlicePatch{"status": "resolved", "resolution": "wont_fix"}, true},
			{api.SlicePatch{"status": "closed"}, true},
			{api.SlicePatch{"status": "closed", "resolution": "cannot_reproduce"}, true},
			{api.SlicePatch{"status": "in_progress"}, false},
		} {
			print := fmt.Sprint("print", i)
			before := w.settled(t, print, c.patch)
			filed, err := w.kept(t, print)
			must(t, err)
			after, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: before.ID}))
			must(t, err)
			assert.Equal(t, print+": the slice that was found", filed.ID, before.ID)
			assert.Equal(t, print+": kept, existing", []bool{filed.Kept, filed.Existing()}, []bool{c.kept, true})
			if c.kept {
				assert.Equal(t, print+": the slice", marshal(t, after), marshal(t, before))
			} else if after.OccurrenceCount != 2 || after.Status == api.Resolved {
				t.Errorf("%s: %s", print, marshal(t, after))
			}
		}
		w.checkByteCounts(t)
	})
}

// TestClosingWhileAJobReports: however a person who closes a slice and jobs that report its bug meet, no second slice
// is made, and the slice is closed at the end.
func TestClosingWhileAJobReports(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		for i := range 8 {
			print := fmt.Sprint("print", i)
			s := w.settled(t, print, api.SlicePatch{"status": "resolved"})
			var work sync.WaitGroup
			work.Go(func() {
				if _, err := w.patch(t, s.ID, api.SlicePatch{"status": "closed", "resolution": "wont_fix"}); err != nil {
					t.Error(err)
				}
			})
			for range 4 {
				work.Go(func() {
					if filed, err := w.kept(t, print); err != nil || filed.ID != s.ID {
						t.Errorf("%s, want %s: %v", filed.Reference, s.Reference, err)
					}
				})
			}
			work.Wait()
			after, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID}))
			must(t, err)
			assert.Equal(t, "the status", after.Status, api.Closed)
		}
	})
}

// TestAssigneeByEmail: a new slice is assigned to the member with the address; an unknown address is ignored, and an
// occurrence assigns nobody.
func TestAssigneeByEmail(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for i, c := range []struct{ address, want string }{{w.owner.Email, w.owner.ID}, {strings.ToUpper(w.owner.Email), w.owner.ID},
			{"nobody@elsewhere.example", ""}, {"no address", ""}} {
			in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: "s"},
				Fingerprint: new(fmt.Sprint("print", i)), AssigneeEmail: &c.address}}
			made, err := w.CreateSlice(t.Context(), w.owner, valid(in))
			must(t, err)
			got := ""
			if made.AssigneeID != nil {
				got = *made.AssigneeID
			}
			assert.Equal(t, c.address, got, c.want)
			in.Body.AssigneeEmail = &w.owner.Email
			again, err := w.CreateSlice(t.Context(), w.owner, valid(in))
			must(t, err)
			assert.Equal(t, c.address+" again", marshal(t, again.AssigneeID), marshal(t, made.AssigneeID))
		}
	})
}

// TestEvidenceThatIsNotStoredIsNamed: the response to a report after the tenth says that its evidence is not stored.
func TestEvidenceThatIsNotStoredIsNamed(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		for n := range 11 {
			filed, err := w.kept(t, "print")
			must(t, err)
			var codes []string
			for _, r := range filed.Repairs {
				codes = append(codes, r.Pointer+" "+string(r.Code))
			}
			want := ""
			if n == 10 {
				want = "/evidence member_dropped"
			}
			assert.Equal(t, fmt.Sprint("repairs of report ", n+1), strings.Join(codes, ", "), want)
		}
	})
}
