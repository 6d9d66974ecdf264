package tracker_test

import (
	"fmt"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// TestPurgedOriginal: when a slice is purged, each of its duplicates loses it with one event by the service, and with
// another version; a deleted one without an event. A duplicate that is purged as well has no event either.
func TestPurgedOriginal(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		original, deleted, purged := w.file(t, "original", ""), w.file(t, "deleted", ""), w.file(t, "purged", "")
		want := map[string]int{}
		for i := range 2*tracker.DetachedAtOnce + 3 {
			s := w.file(t, fmt.Sprint("duplicate ", i), "")
			w.resolveAs(t, s.ID, original.ID)
			want[s.ID] = 1
		}
		other := w.file(t, "duplicate of a duplicate", "")
		for sliceID := range want {
			w.resolveAs(t, other.ID, sliceID)
			break
		}
		for _, s := range []api.Slice{deleted, purged} {
			w.resolveAs(t, s.ID, original.ID)
		}
		remove := func(sliceID string) {
			must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: sliceID}))))
		}
		remove(original.ID)
		remove(purged.ID)
		before := map[string]api.Slice{other.ID: w.slice(t, other.ID)}
		for sliceID := range want {
			before[sliceID] = w.slice(t, sliceID)
		}
		w.now = w.now.Add(2 * 24 * time.Hour)
		remove(deleted.ID)
		w.pass(t, 29*24*time.Hour)

		assert.Equal(t, "the events of duplicates", w.detached(t, "duplicateOfId", original.ID), want)
		for sliceID := range want {
			s := w.slice(t, sliceID)
			if s.DuplicateOfID != nil || s.Version != before[sliceID].Version+1 ||
				!s.UpdatedAt.After(before[sliceID].UpdatedAt.Time) || *s.Resolution != api.Duplicate {
				t.Errorf("%s: %+v", s.Reference, s)
			}
		}
		assert.Equal(t, "the duplicate of a duplicate", w.slice(t, other.ID), before[other.ID])
		for _, sliceID := range []string{original.ID, purged.ID} {
			if _, err := w.store.Read(ctx).Slice(sliceID); err == nil {
				t.Errorf("%s is still stored", sliceID)
			}
		}
		restored, err := w.RestoreSlice(ctx, w.owner, valid(api.RestoreSlice{SliceID: deleted.ID}))
		must(t, err)
		assert.Equal(t, "the original of the restored slice", restored.DuplicateOfID, (*string)(nil))
	})
}
