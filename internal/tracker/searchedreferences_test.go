package tracker_test

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestSearchedReferences: a reference in a search finds the slice that it names, by any key that its workspace had,
// and the slices that have its words. A reference after a minus excludes the same slices.
func TestSearchedReferences(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for i := range 10 { // other reports, after which the first one has a number of two digits
			w.report(t, fmt.Sprint(i), api.SliceFields{Summary: "z"})
		}
		first := w.report(t, "a", api.SliceFields{Summary: "a timeout"})
		w.report(t, "b", api.SliceFields{Summary: "b as in " + first.Reference + ", again"})
		w.report(t, "c", api.SliceFields{Summary: fmt.Sprint("c has the word ", first.Number, " alone")})
		w.report(t, "d", api.SliceFields{Summary: "d timeout of utf-800"})
		lower, unknown := strings.ToLower(first.Reference), first.Reference+"000"
		for _, c := range []struct{ q, not, want string }{
			{first.Reference, "", "a b"}, {lower, "", "a b"}, {lower + " timeout", "", "a"},
			{"again " + first.Reference, "", "b"},
			{fmt.Sprint(first.Number), "", "a b c"}, {fmt.Sprint(first.Number, "*"), "", "a b c"},
			{unknown, "", ""}, {"utf-800", "", "d"}, {"utf-900", "", ""},
			{"", first.Reference + " z", "c d"}, {"", "z " + lower + " utf-800", "c"},
			{"timeout", lower, "d"}, {"", unknown + " z", "a b c d"}, {first.Reference, lower, ""},
		} {
			f := api.SliceFilters{WorkspaceID: w.workspace, Q: c.q, Not: api.Exclusions{Q: c.not}}
			assert.Equal(t, fmt.Sprintf("%q without %q", c.q, c.not), w.found(t, f), c.want)
			w.checkCounts(t, f)
		}

		other, err := w.CreateWorkspace(t.Context(), w.owner,
			valid(api.CreateWorkspace{Body: api.WorkspaceFields{Name: "Other"}}))
		must(t, err)
		must(t, second(w.UpdateWorkspace(t.Context(), w.owner, valid(api.UpdateWorkspace{WorkspaceID: w.workspace,
			Patch: api.WorkspacePatch{"key": "NEWKEY"}}))))
		for _, reference := range []string{fmt.Sprint("newkey-", first.Number), first.Reference} {
			assert.Equal(t, reference+" after a change of the key",
				names(w.everySlice(t, api.SliceFilters{Q: reference + " timeout"})), "a")
			assert.Equal(t, reference+" in another workspace",
				names(w.everySlice(t, api.SliceFilters{Q: reference, WorkspaceID: other.ID})), "")
		}
	})
}
