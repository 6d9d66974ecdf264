package tracker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/input"
)

// fileSearched files the slices that TestSearchLanguage looks for, and returns c.
func (w *world) fileSearched(t *testing.T) api.Slice {
	t.Helper()
	text := func(s string) *string { return &s }
	a := w.report(t, "TypeError percentOf terms", api.SliceFields{Summary: "a checkout fails after the discount AUTUMN15",
		Labels: []string{"checkout", "x"}, AssigneeID: &w.owner.ID, Environment: api.Environment{
			Browser: text("Chrome 156"), OS: text("Windows 11"), Release: text("2026.11.2")}})
	must(t, second(w.CreateComment(t.Context(), w.owner, valid(api.CreateComment{SliceID: a.ID,
		Body: api.CommentFields{Body: "percentOf gets nil"}}))))
	w.report(t, "b", api.SliceFields{Summary: "b gift card is refused with a CORS error", Labels: []string{"x"},
		Environment: api.Environment{Browser: text("Firefox 153"), OS: text("Ubuntu"), Release: text("2026.1.1")}})
	c := w.report(t, "c", api.SliceFields{Summary: "c timeout", Environment: api.Environment{Browser: text("Chrome 157")}})
	resolution := api.Fixed
	must(t, second(w.UpdateSlice(t.Context(), w.owner, valid(api.UpdateSlice{SliceID: c.ID,
		Patch: api.SlicePatch{"status": "resolved", "resolution": string(resolution)}}))))
	w.report(t, "d", api.SliceFields{Summary: fmt.Sprint("d is like ", c.Number, " and crashes, see ", c.Reference)})
	return c
}

// TestSearchLanguage: searches find what a person expects of them. The first rows were measured to find nothing, or to
// be refused, by somebody who did a day of triage.
func TestSearchLanguage(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		c := w.fileSearched(t)
		number, key := c.Number, strings.ToLower(c.Reference[:strings.IndexByte(c.Reference, '-')])
		for q, want := range map[string]string{
			"discou": "a", "disc*": "a", fmt.Sprint(number): "c d", "percentOf": "a", "browser:Chrome": "a c",
			"-label:x": "c d", "created:>7d": "", "created:today": "a b c d", "timeout OR gift": "b c", "is:open": "a b d",

			`"discou"`: "", "discou fails": "", "disc* fails": "a",
			"fails discou": "a", `browser:"Chrome 156"`: "a", `browser:"Chrome"`: "",
			"browser:firefox,chrome os:win": "a", "-browser:chrome": "b d",
			"release:2026.1*": "a b", "release:2026.11*": "a",
			"release:2026.1.1": "b", "release:2026.1": "", "os:*": "a b", "created:7d updated:<2d": "a b c d",
			"created:yesterday": "", "created:this week OR created:today": "?", "created:..yesterday": "",
			"is:active no:assignee": "b d", "is:mine": "a", "-is:assigned": "b c d", "is:fixed": "c", "no:label": "c d",
			"(disc* OR cors) label:x": "a b", "-(timeout OR gift)": "a d", "label:checkout OR label:y": "a",
			"x (timeout OR crash*)": "", "(tim OR cras": "?", "sort:oldest is:open": "a b d", "-timeout error": "b",
			"workspace:" + key + " status:resolved": "c", c.Reference: "c d", "assignee:none crash": "d", `"gift" "card"`: "b",
			"TypeError: terms": "a",
		} {
			f := api.SliceFilters{WorkspaceID: w.workspace, Q: q}
			if strings.HasPrefix(q, "workspace:") {
				f.WorkspaceID = ""
			}
			if want == "?" || strings.Contains(q, "sort:") || f.WorkspaceID == "" {
				_, err := w.ListSlices(t.Context(), w.owner, valid(api.ListSlices{SliceFilters: f, Paging: ten}))
				if (err != nil) != (want == "?") {
					t.Errorf("%s: %v", q, err)
				}
				continue
			}
			assert.Equal(t, q, w.found(t, f), want)
		}
		w.checkNamedFirst(t, number)
		w.checkRefusedTerms(t)
	})
}

// checkNamedFirst checks that a slice is the first one of the lists by its number and its reference, in pages of any
// size and in any order.
func (w *world) checkNamedFirst(t *testing.T, number int64) {
	t.Helper()
	for _, in := range []api.ListSlices{{}, {Order: "asc"}, {Sort: "updatedAt"}, {Sort: "priority"}} {
		for _, size := range []int{1, 2, 10} {
			in.Q, in.WorkspaceID, in.Limit = fmt.Sprint(number), w.workspace, size
			in.Cursor = ""
			var all []api.Slice
			for more := true; more; {
				page, err := w.ListSlices(t.Context(), w.owner, valid(in))
				must(t, err)
				all = append(all, page.Data...)
				if more = page.Pagination.HasMore; more {
					in.Cursor = *page.Pagination.Cursor
				}
			}
			if len(all) != 2 || all[0].Number != number {
				t.Errorf("%+v: %s begins with %d", in, names(all), all[0].Number)
			}
		}
	}
}

// checkRefusedTerms checks that terms which a list does not carry out are refused, with their positions.
func (w *world) checkRefusedTerms(t *testing.T) {
	t.Helper()
	open := []api.Status{api.Open}
	with := func(q string) api.ListSlices { return api.ListSlices{SliceFilters: api.SliceFilters{Q: q}} }
	twice, sorted := with("is:open"), with("sort:created")
	twice.Status, sorted.Sort = open, "updatedAt"
	for want, in := range map[string]api.ListSlices{
		"unknown_word q: there is no filter “staus”; did you mean status? (at character 3)": with("a staus:open"),
		"unknown_name q: there is no member “Zoe” (at character 10)":                        with("assignee:Zoe"),
		"repeated q has a filter that the parameter status has, too; give it once":          twice,
		"repeated q has a filter that the parameter sort has, too; give it once":            sorted,
		"too_many q: a search has at most 30 words with OR between them (at character 1)":   with(strings.Repeat("a OR ", 100) + "a"),
		"too_long at most 2000 characters":                                                  with(strings.Repeat("a ", 5000)),
		"no_words q: “!” has no letters or digits to search for (at character 6)":           with("a OR \"!\" is:open"),
		"misplaced_or q: OR stands between two words, or between two values of one filter":  with("a OR"),
	} {
		_, err := w.list(t, w.owner, in)
		var p *api.Problem
		if !errors.As(err, &p) || len(p.Errors) == 0 || !strings.HasPrefix(p.Errors[0].Code+" "+p.Errors[0].Detail, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	injected := `'; DROP TABLE slices; -- " OR 1=1 (NEAR) * ^ : a:* label:"x' OR '1'='1"`
	if _, err := w.list(t, w.owner, api.ListSlices{SliceFilters: api.SliceFilters{Q: injected}}); err != nil {
		var p *api.Problem
		if !errors.As(err, &p) || p.Code != api.CodeInvalidParameter {
			t.Errorf("a text of signs: %v", err)
		}
	}
}

// list lists slices with an input that may be refused by its validation.
func (w *world) list(t *testing.T, by access.Caller, in api.ListSlices) (api.Page[api.Slice], error) {
	t.Helper()
	v, err := input.Check(in)
	if err != nil {
		return api.Page[api.Slice]{}, err
	}
	return w.ListSlices(t.Context(), by, v)
}
