package tracker_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
)

// found returns the first words of the summaries of the slices that filters select, sorted. Lists in each order have
// the same slices, in pages, and counts are those of the list.
func (w *world) found(t *testing.T, f api.SliceFilters) string {
	t.Helper()
	all := w.everySlice(t, f)
	for _, sort := range []string{"createdAt", "updatedAt", "priority"} {
		in := api.ListSlices{SliceFilters: f, Sort: sort, Order: "asc", Paging: api.Paging{Limit: 2}}
		if sort == "priority" {
			in.WorkspaceID = w.workspace
		}
		var ids []string
		for more := true; more; {
			page, err := w.ListSlices(t.Context(), w.owner, valid(in))
			must(t, err)
			ids = append(ids, convertIDs(page.Data)...)
			if more = page.Pagination.HasMore; more {
				in.Cursor = *page.Pagination.Cursor
			}
		}
		slices.Sort(ids)
		assert.Equal(t, fmt.Sprintf("%+v by %s", f, sort), ids, slices.Sorted(slices.Values(convertIDs(all))))
	}
	w.checkCounts(t, f)
	return names(all)
}

func names(all []api.Slice) string {
	var names []string
	for _, s := range all {
		names = append(names, strings.Fields(s.Summary)[0])
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// fileVarious files the slices a, b, c and d, which differ in each member by which lists are filtered. It returns a
// space and a key that has filed d.
func (w *world) fileVarious(t *testing.T) (spaceID, keyID string) {
	t.Helper()
	w.withFiles(t)
	spaceID = w.space(t, "Checkout")
	w.setMetadataKeys(t, w.workspace, "orderId")
	order := func(value string) map[string]string { return map[string]string{"orderId": value} }
	high, low, major, text := api.Priority("high"), api.Priority("low"), api.Severity("major"),
		"@owner@test.example, see that"
	w.report(t, "a", api.SliceFields{Summary: "a Checkout timeout", Description: &text,
		Priority: &high, Severity: &major, SpaceID: &spaceID,
		Labels: []string{"flaky", "ui"}, AssigneeID: &w.owner.ID, Metadata: order("1"),
		Environment: api.Environment{Release: new("1"), Browser: new("Chrome 1"), OS: new("Linux"),
			Viewport: new("1x1")}}, "an error")
	w.report(t, "b", api.SliceFields{Summary: "b Checks slow", Status: api.Closed,
		Priority: &low, Labels: []string{"ui"}, Metadata: order("2"),
		Environment: api.Environment{Release: new("2"), Browser: new("Firefox 2"), OS: new("Linux"),
			Viewport: new("2x2")}})
	w.report(t, "c", api.SliceFields{Summary: "c Cart 支払い", Status: api.InProgress})
	c, err := w.CreateKey(t.Context(), w.owner, valid(api.CreateKey{Body: api.KeyFields{Name: "ci",
		Type: api.WST, WorkspaceID: &w.workspace,
		Scopes: []api.Scope{api.SlicesWrite}}}))
	must(t, err)
	ci, err := w.Authenticate(t.Context(), c.Token)
	must(t, err)
	must(t, second(w.CreateSlice(t.Context(), ci, valid(api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{
		Summary: "d Check of timeouts", Status: api.Resolved, Labels: []string{"flaky"},
		AssigneeID: &w.owner.ID, Metadata: order("1")}}}))))
	return spaceID, c.ID
}

// TestExclusions: each name of not leaves out the slices with any of its values, also none, alone and beside other
// filters.
func TestExclusions(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		spaceID, keyID := w.fileVarious(t)
		order := func(values ...string) map[string][]string { return map[string][]string{"orderId": values} }
		for _, c := range []struct {
			not  api.Exclusions
			want string
		}{
			{api.Exclusions{SpaceID: []string{spaceID}}, "b c d"},
			{api.Exclusions{SpaceID: []string{"none"}}, "a"},
			{api.Exclusions{SpaceID: []string{"none", spaceID}}, ""},
			{api.Exclusions{Status: []api.Status{api.Closed, api.Resolved}}, "a c"},
			{api.Exclusions{Priority: []api.PriorityFilter{"high"}}, "b c d"},
			{api.Exclusions{Priority: []api.PriorityFilter{"none", "low"}}, "a"},
			{api.Exclusions{Severity: []api.SeverityFilter{"none"}}, "a"},
			{api.Exclusions{Severity: []api.SeverityFilter{"major"}}, "b c d"},
			{api.Exclusions{Label: []string{"flaky"}}, "b c"},
			{api.Exclusions{Label: []string{"flaky", "ui"}}, "c"},
			{api.Exclusions{WithoutLabels: true}, "a b d"},
			{api.Exclusions{WithoutLabels: true, Label: []string{"flaky"}}, "b"},
			{api.Exclusions{AssigneeID: []string{"me"}}, "b c"},
			{api.Exclusions{AssigneeID: []string{"none"}}, "a d"},
			{api.Exclusions{ReporterID: []string{"me"}}, "d"},
			{api.Exclusions{ReporterID: []string{keyID}}, "a b c"},
			{api.Exclusions{Mentions: []string{"me"}}, "b c d"},
			{api.Exclusions{Mentions: []string{id.New(id.User)}}, "a b c d"},
			{api.Exclusions{Release: []string{"1"}}, "b c d"},
			{api.Exclusions{Browser: []string{"Firefox 2"}}, "a c d"},
			{api.Exclusions{OS: []string{"Linux"}}, "c d"},
			{api.Exclusions{Viewport: []string{"1x1", "2x2"}}, "c d"},
			{api.Exclusions{Metadata: order("1")}, "b c"},
			{api.Exclusions{Metadata: order("1", "2")}, "c"},
			{api.Exclusions{Has: []api.EvidenceFilter{"console_error"}}, "b c d"},
			{api.Exclusions{Has: []api.EvidenceFilter{"screenshot"}}, "a b c d"},
			{api.Exclusions{Q: "timeout"}, "b c d"},
			{api.Exclusions{Q: "timeout* slow"}, "c"},
			{api.Exclusions{Q: "CHECK*"}, "c"},
			{api.Exclusions{Q: "check"}, "a b c"},
			{api.Exclusions{Q: "支"}, "a b d"},
			{api.Exclusions{Status: []api.Status{api.Closed}, Label: []string{"flaky"}, Q: "nowhere"}, "c"},
		} {
			assert.Equal(t, fmt.Sprintf("%+v", c.not),
				w.found(t, api.SliceFilters{WorkspaceID: w.workspace, Not: c.not}), c.want)
		}
		for _, c := range []struct {
			f    api.SliceFilters
			want string
		}{
			{api.SliceFilters{Label: []string{"ui"}, Not: api.Exclusions{Label: []string{"flaky"}}}, "b"},
			{api.SliceFilters{Label: []string{"flaky"}, Not: api.Exclusions{Label: []string{"flaky"}}}, ""},
			{api.SliceFilters{Q: "check*", Not: api.Exclusions{Q: "timeout"}}, "b d"},
			{api.SliceFilters{Q: "check*", AssigneeID: []string{"me"},
				Not: api.Exclusions{Status: []api.Status{api.Resolved}}}, "a"},
			{api.SliceFilters{Metadata: order("1", "2"), Not: api.Exclusions{Metadata: order("1")}}, "b"},
			{api.SliceFilters{OS: []string{"Linux"}, Not: api.Exclusions{Release: []string{"2"}}}, "a"},
		} {
			assert.Equal(t, fmt.Sprintf("%+v", c.f), w.found(t, c.f), c.want)
		}
	})
}

// TestPrefixes: a word with an asterisk, and the last one without quotes, find the words that begin with it. A text
// needs a word for each.
func TestPrefixes(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.fileVarious(t)
		for q, want := range map[string]string{"check*": "a b d", "CHECKS*": "b",
			"ch* time*": "a d", "check* of": "d", "checkout": "a", "check": "a b d", `"check"`: "d",
			"ca*": "c", "支払*": "c", "chex*": "", "check* checks": "b", "timeout timeout*": "a", "*": ""} {
			if q != "*" {
				assert.Equal(t, q, w.found(t, api.SliceFilters{WorkspaceID: w.workspace, Q: q}), want)
			}
		}
	})
}

// TestExclusionsAreDifferences: a list with exclusions has the slices of the same list without them, but for those
// that a list by any of the excluded values has.
func TestExclusionsAreDifferences(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		spaceID, keyID := w.fileVarious(t)
		r := rand.New(rand.NewPCG(1, 2))
		order := map[string][]string{"orderId": {"1"}}
		choices := []func(f *api.SliceFilters, not *api.Exclusions){
			func(f *api.SliceFilters, not *api.Exclusions) { f.SpaceID = []string{spaceID}; not.SpaceID = f.SpaceID },
			func(f *api.SliceFilters, not *api.Exclusions) {
				f.Status = []api.Status{api.Closed}
				not.Status = f.Status
			},
			func(f *api.SliceFilters, not *api.Exclusions) {
				f.Priority = []api.PriorityFilter{"low", "none"}
				not.Priority = f.Priority
			},
			func(f *api.SliceFilters, not *api.Exclusions) {
				f.Severity = []api.SeverityFilter{"major"}
				not.Severity = f.Severity
			},
			func(f *api.SliceFilters, not *api.Exclusions) { f.Label = []string{"ui"}; not.Label = f.Label },
			func(f *api.SliceFilters, not *api.Exclusions) { f.WithoutLabels, not.WithoutLabels = true, true },
			func(f *api.SliceFilters, not *api.Exclusions) {
				f.AssigneeID = []string{"none"}
				not.AssigneeID = f.AssigneeID
			},
			func(f *api.SliceFilters, not *api.Exclusions) {
				f.ReporterID = []string{keyID}
				not.ReporterID = f.ReporterID
			},
			func(f *api.SliceFilters, not *api.Exclusions) { f.Mentions = []string{"me"}; not.Mentions = f.Mentions },
			func(f *api.SliceFilters, not *api.Exclusions) { f.Release = []string{"2"}; not.Release = f.Release },
			func(f *api.SliceFilters, not *api.Exclusions) { f.Metadata = order; not.Metadata = f.Metadata },
			func(f *api.SliceFilters, not *api.Exclusions) {
				f.Has = []api.EvidenceFilter{"replay"}
				not.Has = f.Has
			},
			func(f *api.SliceFilters, not *api.Exclusions) { f.Q, not.Q = "time*", "time*" },
		}
		list := func(f api.SliceFilters) []string { return convertIDs(w.everySlice(t, f)) }
		for range 60 {
			var f, with api.SliceFilters
			var out []string
			if r.IntN(2) == 0 {
				choices[r.IntN(len(choices))](&f, &api.Exclusions{})
			}
			with = f
			for _, i := range r.Perm(len(choices))[:1+r.IntN(3)] {
				var alone api.SliceFilters
				choices[i](&alone, &with.Not)
				out = append(out, list(alone)...)
			}
			want := slices.DeleteFunc(list(f), func(id string) bool { return slices.Contains(out, id) })
			assert.Equal(t, fmt.Sprintf("%+v", with), strings.Join(list(with), " "), strings.Join(want, " "))
			w.checkCounts(t, with)
		}
	})
}

// TestExclusionsFollowChanges: what a change, a deletion or a restoration does to a slice is seen by exclusions at
// once, and over several workspaces each leaves out its own slices.
func TestExclusionsFollowChanges(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.fileVarious(t)
		notFlaky := api.SliceFilters{Not: api.Exclusions{Label: []string{"flaky"}, Q: "cart"}}
		check := func(want string) {
			t.Helper()
			assert.Equal(t, "not flaky", names(w.everySlice(t, notFlaky)), want)
			w.checkCounts(t, notFlaky)
		}
		check("b")
		a := w.everySlice(t, api.SliceFilters{Release: []string{"1"}})[0]
		must(t, second(w.patch(t, a.ID, api.SlicePatch{"labels": []any{"ui"}})))
		check("a b")
		must(t, second(w.patch(t, a.ID, api.SlicePatch{"summary": "a cart"})))
		check("b")
		must(t, second(w.patch(t, a.ID, api.SlicePatch{"summary": "a carts"})))
		must(t, second(w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: a.ID}))))
		check("b")
		must(t, second(w.RestoreSlice(t.Context(), w.owner, valid(api.RestoreSlice{SliceID: a.ID}))))
		check("a b")

		other, err := w.CreateWorkspace(t.Context(), w.owner,
			valid(api.CreateWorkspace{Body: api.WorkspaceFields{Name: "Two"}}))
		must(t, err)
		first := w.workspace
		w.workspace = other.ID
		w.report(t, "e", api.SliceFields{Summary: "e carts", Labels: []string{"ui"}})
		w.report(t, "f", api.SliceFields{Summary: "f", Labels: []string{"flaky"}})
		check("a b e")
		order := api.SliceFilters{Not: api.Exclusions{Metadata: map[string][]string{"orderId": {"2"}}}}
		assert.Equal(t, "with workspaces without the key", names(w.everySlice(t, order)), "a c d")
		order.WorkspaceID = first
		assert.Equal(t, "of the workspace with the key", names(w.everySlice(t, order)), "a c d")
	})
}
