package tracker_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"bugslice/api"
)

// counted are the members by which slices are counted, with the values of a slice.
var counted = map[string]func(s api.Slice) []string{
	"status":   func(s api.Slice) []string { return []string{string(s.Status)} },
	"priority": func(s api.Slice) []string { return optional(s.Priority) },
	"severity": func(s api.Slice) []string { return optional(s.Severity) },
	"label":    func(s api.Slice) []string { return s.Labels },
	"assignee": func(s api.Slice) []string { return optional(s.AssigneeID) },
	"space":    func(s api.Slice) []string { return optional(s.SpaceID) },
	"release":  func(s api.Slice) []string { return optional(s.Environment.Release) },

	"reporter":   func(s api.Slice) []string { return optional(s.Reporter.ID) },
	"resolution": func(s api.Slice) []string { return optional(s.Resolution) },
	"browser":    func(s api.Slice) []string { return optional(s.Environment.Browser) },
	"os":         func(s api.Slice) []string { return optional(s.Environment.OS) },
}

func optional[T ~string](v *T) []string {
	if v == nil {
		return nil
	}
	return []string{string(*v)}
}

// countOf counts slices by a member; the value "" is none.
func countOf(all []api.Slice, by string) map[string]int64 {
	counts := map[string]int64{}
	for _, s := range all {
		values := counted[by](s)
		if len(values) == 0 {
			values = []string{""}
		}
		for _, v := range values {
			counts[v]++
		}
	}
	return counts
}

// everySlice lists the slices of some filters.
func (w *world) everySlice(t *testing.T, f api.SliceFilters) (all []api.Slice) {
	t.Helper()
	for cursor := ""; ; {
		page, err := w.ListSlices(t.Context(), w.owner, valid(api.ListSlices{SliceFilters: f,
			Paging: api.Paging{Limit: 100, Cursor: cursor}}))
		must(t, err)
		all = append(all, page.Data...)
		if !page.Pagination.HasMore {
			return all
		}
		cursor = *page.Pagination.Cursor
	}
}

// checkCounts compares the counts of some filters, by each member, with those of the slices that the filters list.
func (w *world) checkCounts(t *testing.T, f api.SliceFilters) {
	t.Helper()
	all := w.everySlice(t, f)
	for by := range counted {
		out, err := w.CountSlices(t.Context(), w.owner, valid(api.CountSlices{SliceFilters: f, By: api.CountedMember(by)}))
		must(t, err)
		got := map[string]int64{}
		for _, n := range out.Data {
			value := ""
			if n.Value != nil {
				value = *n.Value
			}
			got[value] = n.Count
		}
		if want := countOf(all, by); !reflect.DeepEqual(got, want) || out.More {
			t.Errorf("%+v by %s: %v, more %t, want %v", f, by, got, out.More, want)
		}
	}
}

// randomPatch is a change of the members by which slices are counted.
func randomPatch(r *rand.Rand, spaces []string, user string) api.SlicePatch {
	pick := func(values ...any) any { return values[r.IntN(len(values))] }
	labels := []any{}
	for _, l := range []string{"checkout", "firefox", "none", "é"} {
		if r.IntN(3) == 0 {
			labels = append(labels, l)
		}
	}
	return []api.SlicePatch{
		{"priority": pick("urgent", "low", nil)},
		{"severity": pick("blocker", "trivial", nil)},
		{"labels": labels},
		{"assigneeId": pick(user, nil)},
		{"spaceId": pick(spaces[0], spaces[1], nil)},
		{"environment": pick(map[string]any{"release": "1.0"}, map[string]any{"release": "2.0"},
			map[string]any{"release": nil})},
		{"environment": pick(map[string]any{"browser": "Firefox 153"}, map[string]any{"browser": "Chrome 156", "os": "macOS 26"})},
		{"status": "in_progress"},
		{"status": "resolved", "resolution": pick("fixed", "wont_fix")},
	}[r.IntN(9)]
}

// TestCountsOfAnyHistory: after random changes, deletions and restorations the counts are those of the listed slices.
func TestCountsOfAnyHistory(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		seed := uint64(w.now.UnixNano())
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		spaces := []string{w.space(t, "a"), w.space(t, "b")}
		var ids []string
		for i := range 40 {
			ids = append(ids, w.file(t, fmt.Sprintf("word%d zebra", i%3), "").ID)
		}
		w.withFiles(t)
		for i := range 3 {
			ids = append(ids, w.report(t, fmt.Sprint("zebra ", i), api.SliceFields{}, fmt.Sprint("fingerprint ", i)).ID)
			w.screenshot(t, ids[2*i])
		}
		for range 200 {
			sliceID := ids[r.IntN(len(ids))]
			switch r.IntN(30) {
			case 29:
				i := r.IntN(2)
				must(t, w.deleteSpace(spaces[i]))
				spaces[i] = w.space(t, "another")
			case 28:
				w.now = w.now.Add(time.Minute)
				w.RunJobs(t.Context())
			case 1, 2, 3:
				must(t, second(w.RestoreSlice(t.Context(), w.owner, valid(api.RestoreSlice{SliceID: sliceID}))))
			case 4, 5, 6:
				_, _ = w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: sliceID}))
			default: // a deleted slice, or one in progress, may refuse it
				_, _ = w.UpdateSlice(t.Context(), w.owner,
					valid(api.UpdateSlice{SliceID: sliceID, Patch: randomPatch(r, spaces, w.owner.ID)}))
			}
		}
		for _, s := range w.everySlice(t, api.SliceFilters{}) {
			if s.SpaceID != nil && !slices.Contains(spaces, *s.SpaceID) {
				t.Errorf("%s is in the deleted space %s", s.ID, *s.SpaceID)
			}
		}
		references := []string{w.everySlice(t, api.SliceFilters{})[0].Reference, "NONE-1"}
		at := api.At(w.now.Add(-1e12))
		for _, f := range []api.SliceFilters{
			{WorkspaceID: w.workspace}, {}, {Label: []string{"checkout", "firefox"}},
			{Label: []string{"none"}}, {SpaceID: []string{"none", spaces[0]}},
			{AssigneeID: []string{"me"}}, {Q: "word1 zebra"}, {Priority: []api.PriorityFilter{"low"}, Q: "zebra"},
			{Number: 7},
			{Priority: []api.PriorityFilter{"none", "low"}}, {Severity: []api.SeverityFilter{"none"}},
			{WithoutLabels: true}, {UpdatedBefore: &at},
			{UpdatedBefore: &at, UpdatedAfter: &at},
			{WithoutLabels: true, Priority: []api.PriorityFilter{"none"}, Q: "zebra"},
			{CreatedAfter: &at, Status: []api.Status{api.Open, api.InProgress}},
			{UpdatedAfter: &at}, {CreatedBefore: &at}, {ReporterID: []string{"me"}},
			{Has: []api.EvidenceFilter{"replay"}},
			{Has: []api.EvidenceFilter{"screenshot", "replay"}, Status: []api.Status{api.Open}},
			{Reference: references},
		} {
			w.checkCounts(t, f)
		}
		labels, err := w.ListLabels(t.Context(), w.owner,
			valid(api.ListLabels{WorkspaceID: w.workspace, Paging: api.Paging{Limit: 100}}))
		must(t, err)
		got := map[string]int64{}
		for _, l := range labels.Data {
			got[l.Label] = l.Count
		}
		want := countOf(w.everySlice(t, api.SliceFilters{}), "label")
		if delete(want, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("labels: %v, want %v", got, want)
		}
		if !slices.IsSortedFunc(labels.Data, func(a, b api.LabelCount) int { return cmp.Compare(a.Label, b.Label) }) {
			t.Errorf("labels: %v", labels.Data)
		}
	})
}

// TestFiltersByNone: a list is filtered by members without a value, and by the end of a range of updates. A label
// named none is a label.
func TestFiltersByNone(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var late api.Slice
		for _, f := range []api.SliceFields{
			{Summary: "bare"}, {Summary: "low", Priority: new(api.Priority("low"))},
			{Summary: "minor", Severity: new(api.Severity("minor"))},
			{Summary: "label none", Labels: []string{"none"}, Environment: api.Environment{Release: new("none")}},
			{Summary: "late", Labels: []string{"x", "y"}, Priority: new(api.Priority("urgent"))},
		} {
			late = w.report(t, f.Summary, f)
		}
		w.now = w.now.Add(time.Hour)
		late, err := w.UpdateSlice(t.Context(), w.owner,
			valid(api.UpdateSlice{SliceID: late.ID, Patch: api.SlicePatch{"status": "in_progress"}}))
		must(t, err)
		last := late.UpdatedAt
		for _, c := range []struct {
			f    api.SliceFilters
			want []string
		}{
			{api.SliceFilters{Priority: []api.PriorityFilter{"none"}}, []string{"label none", "minor", "bare"}},
			{api.SliceFilters{Priority: []api.PriorityFilter{"none", "urgent"}},
				[]string{"late", "label none", "minor", "bare"}},
			{api.SliceFilters{Severity: []api.SeverityFilter{"none"}, Priority: []api.PriorityFilter{"low"}},
				[]string{"low"}},
			{api.SliceFilters{WithoutLabels: true}, []string{"minor", "low", "bare"}},
			{api.SliceFilters{Label: []string{"none"}}, []string{"label none"}},
			{api.SliceFilters{Label: []string{"none"}, WithoutLabels: true}, nil},
			{api.SliceFilters{Release: []string{"none"}}, []string{"label none"}},
			{api.SliceFilters{Fingerprint: []string{"none"}}, nil},
			{api.SliceFilters{ExternalID: []string{"none"}, Status: []api.Status{api.Open}}, nil},
			{api.SliceFilters{UpdatedBefore: &last}, []string{"label none", "minor", "low", "bare"}},
			{api.SliceFilters{UpdatedAfter: &last}, []string{"late"}},
			{api.SliceFilters{UpdatedAfter: &last, UpdatedBefore: &last}, nil},
		} {
			var got []string
			for _, s := range w.everySlice(t, c.f) {
				got = append(got, s.Summary)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%+v: %q, want %q", c.f, got, c.want)
			}
		}
	})
}

// space creates a space and returns its id.
func (w *world) space(t *testing.T, name string) string {
	t.Helper()
	s, err := w.CreateSpace(t.Context(), w.owner,
		valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: name}}))
	must(t, err)
	return s.ID
}
