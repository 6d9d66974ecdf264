package tracker_test

import (
	"errors"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestRefusedSearches: a searched text without words, a beginning that most words have, and an exclusion of several
// words at once are refused, as are exclusions by metadata that no workspace declares.
func TestRefusedSearches(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.setMetadataKeys(t, w.workspace, "orderId")
		not := func(e api.Exclusions) api.SliceFilters { return api.SliceFilters{Not: e} }
		for want, f := range map[string]api.SliceFilters{
			"q no_words q has no letters or digits to search for":                                     {Q: "* -"},
			"q too_short c* is too short: a beginning of words has at least 2 letters or digits":      {Q: "slow C*"},
			"not[q] no_words not[q] has no letters or digits to search for":                           not(api.Exclusions{Q: "!"}),
			"not[q] too_short e* is too short: a beginning of words has at least 2 letters or digits": not(api.Exclusions{Q: "ab* é*"}),
			"not[q] several_words not[q] has single words, and e-mail is several": not(
				api.Exclusions{Q: "slow e-mail"}),
			"not[q] several_words not[q] has single words, and 東京 is several": not(api.Exclusions{Q: "東京"}),
			"not[metadata][tenant] not_filterable this name is no filter; an admin adds it to the metadataKeys of the workspace, " +
				"which are orderId": {
				Metadata: map[string][]string{"orderId": {"1"}},
				Not:      api.Exclusions{Metadata: map[string][]string{"tenant": {"x"}}}},
		} {
			_, err := w.ListSlices(t.Context(), w.owner, valid(api.ListSlices{SliceFilters: f, Paging: ten}))
			_, countErr := w.CountSlices(t.Context(), w.owner, valid(api.CountSlices{SliceFilters: f}))
			for _, err := range []error{err, countErr} {
				var p *api.Problem
				if !errors.As(err, &p) || p.Code != api.CodeInvalidParameter {
					t.Errorf("%s: %v", want, err)
					continue
				}
				assert.Equal(t, "the fault", p.Errors[0].Parameter+" "+p.Errors[0].Code+" "+p.Errors[0].Detail, want)
			}
		}
		for _, f := range []api.SliceFilters{{Q: "東* 50* slow"}, not(api.Exclusions{Q: "東 ab* ! slow"}),
			not(api.Exclusions{Metadata: map[string][]string{"orderId": {"1"}}, Mentions: []string{"me"}})} {
			must(t, second(w.ListSlices(t.Context(), w.owner, valid(api.ListSlices{SliceFilters: f, Paging: ten}))))
		}
	})
}
