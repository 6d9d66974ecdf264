package tracker_test

import (
	"slices"
	"testing"

	"bugslice/api"
)

// TestLabelsThatLookAlike: labels that look alike are one label, in reports that are created or changed and in the
// filters of lists. Joiners, which some scripts and emoji need, stay.
func TestLabelsThatLookAlike(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		const composed, decomposed = "caf\u00e9", "cafe\u0301"
		create := func(labels ...string) api.FiledSlice {
			t.Helper()
			s, err := w.CreateSlice(t.Context(), w.owner,
				valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
					SliceFields: api.SliceFields{Summary: "labelled", Labels: labels}}}))
			must(t, err)
			return s
		}
		first := create(composed, decomposed, "ca\u200bfé", "\u200b", "👩\u200d💻", " "+composed+"\u00a0", "on  iOS",
			"  ")
		if want := []string{composed, "👩\u200d💻", "on iOS"}; !slices.Equal(first.Labels, want) {
			t.Errorf("%q, want %q", first.Labels, want)
		}
		second := create("other")
		changed, err := w.UpdateSlice(t.Context(), w.owner,
			valid(api.UpdateSlice{SliceID: second.ID, Patch: api.SlicePatch{"labels": []any{decomposed}}}))
		if err != nil || !slices.Equal(changed.Labels, []string{composed}) {
			t.Errorf("%q %v", changed.Labels, err)
		}
		for _, label := range []string{composed, decomposed, "caf\u2060\u00e9", composed + " "} {
			found, err := w.ListSlices(t.Context(), w.owner,
				valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace, Label: []string{label}},
					Paging: api.Paging{Limit: 10}}))
			if err != nil || len(found.Data) != 2 {
				t.Errorf("%q finds %d: %v", label, len(found.Data), err)
			}
		}
		all, err := w.ListLabels(t.Context(), w.owner,
			valid(api.ListLabels{WorkspaceID: w.workspace, Paging: api.Paging{Limit: 10}}))
		if err != nil || len(all.Data) != 3 {
			t.Errorf("%+v %v", all.Data, err)
		}
	})
}
