package tracker_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// TestStartBySource: a report of a source records an application. One of a member, and a deleted one, do not.
func TestStartBySource(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		start := func() tracker.Start {
			t.Helper()
			s, err := w.Start(t.Context(), w.owner, w.workspace)
			must(t, err)
			s.Shared, s.KeyUsed = false, false
			return s
		}
		w.file(t, "of a member", `"sourceId":"src_1"`)
		assert.Equal(t, "before", start(), tracker.Start{})
		s := w.newSource(t, func(*api.SourceFields) {})
		filed := w.visitorFiles(t, s, "of a visitor", api.Visitor{})
		assert.Equal(t, "with a report of a source", start(), tracker.Start{Recorded: true})
		must(t, second(w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: filed.SliceID}))))
		assert.Equal(t, "after it is deleted", start(), tracker.Start{})
	})
}
