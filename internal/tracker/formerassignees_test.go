package tracker_test

import (
	"fmt"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// TestMemberWithManySlices: the removal of a member ends the right to read at once, and unassigns few slices in its
// transaction, for which all writers wait. A job unassigns the others. Each slice has one event; a deleted one has
// none. A member who comes back keeps what is left.
func TestMemberWithManySlices(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, here := t.Context(), w.In(w.owner.Organization)
		const count = 3*tracker.DetachedAtOnce + 5
		member := w.reader(t, "busy@test.example")
		var deleted api.Slice
		assign := func(n int) (all []api.Slice) {
			for i := range n {
				fields := api.SliceFields{Summary: fmt.Sprint("slice ", i), AssigneeID: &member.ID}
				s, err := w.CreateSlice(ctx, w.owner,
					valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: fields}}))
				must(t, err)
				all = append(all, s.Slice)
			}
			return all
		}
		assigned := func() int {
			return len(w.everySlice(t, api.SliceFilters{WorkspaceID: w.workspace, AssigneeID: []string{member.ID}}))
		}
		left := func() int64 {
			n, err := w.store.Read(ctx).SlicesAssigned(w.workspace, member.ID, 1000)
			must(t, err)
			return int64(len(n))
		}
		all := assign(count)
		deleted, all = all[count-1], all[:count-1]
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: deleted.ID}))))

		must(t, here.RemoveMember(ctx, w.workspace, member.ID))
		_, err := w.GetSlice(ctx, member, valid(api.GetSlice{SliceID: all[0].ID}))
		wantCode(t, err, api.CodeNotFound)
		assert.Equal(t, "slices that one transaction has left", left(), int64(count-tracker.DetachedAtOnce))
		_, err = w.patch(t, all[0].ID, api.SlicePatch{"assigneeId": member.ID})
		wantCode(t, err, api.CodeInvalidBody)

		w.RunJobs(ctx)
		assert.Equal(t, "slices that the job has left", left(), int64(0))
		assert.Equal(t, "slices of the list", assigned(), 0)
		events := map[string]int{}
		for _, s := range all {
			page, err := w.ListActivity(ctx, w.owner,
				valid(api.ListActivity{SliceID: s.ID, Paging: api.Paging{Limit: 100}}))
			must(t, err)
			for _, a := range page.Data {
				if a.Type == api.EventSliceUpdated {
					events[s.ID]++
				}
			}
			if events[s.ID] != 1 || w.slice(t, s.ID).Version != s.Version+1 {
				t.Errorf("%s: %d events", s.Reference, events[s.ID])
			}
		}
		w.checkCounts(t, api.SliceFilters{})
		restored, err := w.RestoreSlice(ctx, w.owner, valid(api.RestoreSlice{SliceID: deleted.ID}))
		must(t, err)
		assert.Equal(t, "the assignee of a restored slice", restored.AssigneeID, (*string)(nil))

		must(t, here.PutMember(ctx, w.workspace, member.ID, api.RoleMember))
		assign(count)
		must(t, here.RemoveMember(ctx, w.workspace, member.ID))
		must(t, here.PutMember(ctx, w.workspace, member.ID, api.RoleMember))
		w.now = w.now.Add(time.Minute)
		w.RunJobs(ctx)
		assert.Equal(t, "slices of a member who came back", assigned(), count-tracker.DetachedAtOnce)
	})
}
