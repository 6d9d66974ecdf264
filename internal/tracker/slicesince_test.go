package tracker_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestSliceSince: the members that were changed after a version are known. Status and resolution are changed together. A version that
// the slice never had, and one before too many changes, count as changed in every member. A caller who does not see the slice learns
// nothing.
func TestSliceSince(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		first := w.report(t, "a", api.SliceFields{Summary: "a"})
		change := func(p api.SlicePatch) (version int64) {
			t.Helper()
			s, err := w.UpdateSlice(t.Context(), w.owner, valid(api.UpdateSlice{SliceID: first.ID, Patch: p}))
			must(t, err)
			return s.Version
		}
		changed := func(version int64) (all string) {
			t.Helper()
			s, err := w.SliceSince(t.Context(), w.owner, first.Reference, version)
			must(t, err)
			for _, member := range []string{"status", "resolution", "priority", "summary"} {
				if s.Changed(member) {
					all += member + " "
				}
			}
			return all
		}
		assert.Equal(t, "what was changed", changed(first.Version), "")
		priority := change(api.SlicePatch{"priority": "high"})
		assert.Equal(t, "what was changed", changed(first.Version), "priority ")
		assert.Equal(t, "what was changed", changed(priority), "")
		resolved := change(api.SlicePatch{"status": "resolved"})
		change(api.SlicePatch{"resolution": "wont_fix"})
		assert.Equal(t, "what was changed", changed(first.Version), "status resolution priority ")
		assert.Equal(t, "what was changed", changed(resolved), "status resolution ")
		must(t, second(w.CreateComment(t.Context(), w.owner,
			valid(api.CreateComment{SliceID: first.ID, Body: api.CommentFields{Body: "b"}}))))
		assert.Equal(t, "what was changed", changed(resolved), "status resolution ")
		assert.Equal(t, "what was changed", changed(1000), "status resolution priority summary ")
		for i := range 21 {
			change(api.SlicePatch{"priority": []string{"low", "high"}[i%2]})
		}
		assert.Equal(t, "what was changed", changed(resolved), "status resolution priority summary ")

		_, err := w.SliceSince(t.Context(), newKeyPageCallers(t, w).stranger, first.Reference, first.Version)
		wantCode(t, err, api.CodeNotFound)
	})
}
