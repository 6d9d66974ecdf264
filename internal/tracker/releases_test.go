package tracker_test

import (
	"errors"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestFixedInRelease: the release of a fix stands beside a resolution and goes with it. Without a resolution it is
// refused, and so is the word by which filters mean the newest release.
func TestFixedInRelease(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		fixed := func(s api.Slice, err error) string {
			t.Helper()
			must(t, err)
			if s.FixedInRelease == nil {
				return ""
			}
			return *s.FixedInRelease
		}
		made, err := w.fingerprinted(t, "print", false)
		must(t, err)
		for name, c := range map[string]struct {
			patch api.SlicePatch
			fault string
		}{
			"open":        {api.SlicePatch{"fixedInRelease": "2.0"}, "/fixedInRelease not_resolved"},
			"in progress": {api.SlicePatch{"status": "in_progress", "fixedInRelease": "2.0"}, "/fixedInRelease not_resolved"},
			"a word":      {api.SlicePatch{"status": "resolved", "fixedInRelease": "newest"}, "/fixedInRelease not_a_release"},
		} {
			_, err := w.patch(t, made.ID, c.patch)
			var p *api.Problem
			if !errors.As(err, &p) || len(p.Errors) != 1 {
				t.Fatalf("%s: %v", name, err)
			}
			assert.Equal(t, name, p.Errors[0].Pointer+" "+p.Errors[0].Code, c.fault)
		}
		_, err = w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "s", FixedInRelease: new("2.0")}}}))
		wantCode(t, err, api.CodeInvalidBody)

		assert.Equal(t, "resolved", fixed(w.patch(t, made.ID, api.SlicePatch{"status": "resolved", "fixedInRelease": "2.0"})), "2.0")
		assert.Equal(t, "closed", fixed(w.patch(t, made.ID, api.SlicePatch{"status": "closed"})), "2.0")
		assert.Equal(t, "removed", fixed(w.patch(t, made.ID, api.SlicePatch{"fixedInRelease": nil})), "")
		assert.Equal(t, "set later", fixed(w.patch(t, made.ID, api.SlicePatch{"fixedInRelease": "2.1"})), "2.1")
		assert.Equal(t, "opened", fixed(w.patch(t, made.ID, api.SlicePatch{"status": "open"})), "")
		must(t, second(w.patch(t, made.ID, api.SlicePatch{"status": "resolved", "fixedInRelease": "2.2"})))
		again, err := w.fingerprinted(t, "print", true)
		must(t, err)
		assert.Equal(t, "filed again", fixed(again.Slice, nil), "")
		p, err := w.ListActivity(t.Context(), w.owner, valid(api.ListActivity{SliceID: made.ID, Paging: api.Paging{Limit: 100}}))
		must(t, err)
		told := ""
		for _, c := range p.Data[len(p.Data)-1].Changes {
			if c.Field == "fixedInRelease" && c.From != nil {
				told = (*c.From).(string)
			}
		}
		assert.Equal(t, "the activity tells what was cleared", told, "2.2")
	})
}
