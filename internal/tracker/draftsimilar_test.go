package tracker_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/input"
)

// TestDraftIsSimilarLikeItsSlice: a draft has the similar slices that the slice has once it is filed, also one with
// secrets, and page by page. Nothing is stored.
func TestDraftIsSimilarLikeItsSlice(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		console := func(message string) *api.Evidence {
			return &api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.now),
				Message: message}}}
		}
		const failure = "TypeError: voucher.discount is undefined, token=Zx81kQ92mmLw7710"
		file := func(summary string, evidence *api.Evidence) api.FiledSlice {
			in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				SliceFields: api.SliceFields{Summary: summary}, Evidence: evidence}}
			made, err := w.CreateSlice(t.Context(), w.owner, valid(in))
			must(t, err)
			return made
		}
		file("Voucher field crashes the checkout", console(failure))
		file("Zebra refused", console(failure))
		for range 12 {
			file("Login page flickers", nil)
		}
		list := func(limit int, cursor string) api.Page[api.Similar] {
			draft := api.SliceDraft{WorkspaceID: &w.workspace, Summary: "Voucher field crashes",
				Errors: []string{failure}}
			page, err := w.ListSimilarToDraft(t.Context(), w.owner,
				valid(api.ListSimilarToDraft{Body: draft, Paging: api.Paging{Limit: limit, Cursor: cursor}}))
			must(t, err)
			return page
		}
		before, err := w.ListSlices(t.Context(), w.owner,
			valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace},
				Paging: api.Paging{Limit: 100}}))
		must(t, err)
		all, first := list(25, "").Data, list(1, "")
		second := list(1, *first.Pagination.Cursor)
		after, err := w.ListSlices(t.Context(), w.owner,
			valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace},
				Paging: api.Paging{Limit: 100}}))
		must(t, err)
		if !reflect.DeepEqual(before, after) {
			t.Error("a draft changed the list of slices")
		}
		if pages := append(first.Data, second.Data...); len(all) != 2 || !reflect.DeepEqual(pages, all) {
			t.Errorf("two pages of one: %+v, want %+v", pages, all)
		}
		made := file("Voucher field crashes", console(failure))
		filed, err := w.ListSimilar(t.Context(), w.owner,
			valid(api.ListSimilar{SliceID: made.ID, Paging: api.Paging{Limit: 25}}))
		must(t, err)
		if !reflect.DeepEqual(filed.Data, all) {
			t.Errorf("similar to the draft: %+v\nsimilar to the slice: %+v", all, filed.Data)
		}
		s, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: made.ID}))
		must(t, err)
		if s.Redaction == nil || strings.Contains(failure, "[redacted") {
			t.Error("the error of the draft has no secret")
		}
	})
}

// TestDraftIsRefusedLikeItsSlice: a draft is refused what filing refuses, with the same faults.
func TestDraftIsRefusedLikeItsSlice(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		filed := func(d api.SliceDraft) error {
			fields := api.SliceFields{Summary: d.Summary, Description: d.Description, SourceURL: d.SourceURL}
			v, err := input.Check(api.CreateSlice{Body: api.NewSlice{WorkspaceID: d.WorkspaceID, SliceFields: fields}})
			if err == nil {
				_, err = w.CreateSlice(t.Context(), w.owner, v)
			}
			return err
		}
		compared := func(d api.SliceDraft) error {
			v, err := input.Check(api.ListSimilarToDraft{Body: d, Paging: api.Paging{Limit: 1}})
			if err == nil {
				_, err = w.ListSimilarToDraft(t.Context(), w.owner, v)
			}
			return err
		}
		draft := func(change func(*api.SliceDraft)) api.SliceDraft {
			d := api.SliceDraft{WorkspaceID: &w.workspace, Summary: "Cart"}
			change(&d)
			return d
		}
		cases := []api.SliceDraft{
			draft(func(d *api.SliceDraft) { d.WorkspaceID = new("wsp_1") }),
			draft(func(d *api.SliceDraft) { d.WorkspaceID = new(id.New(id.Workspace)) }),
		}
		for _, text := range []string{"", " ", "\t\n", "a\x00b", "a\xffb",
			"a\u202eb", strings.Repeat("ä", 200), strings.Repeat("a", 201), strings.Repeat("a", 70_000)} {
			cases = append(cases, draft(func(d *api.SliceDraft) { d.Summary = text }),
				draft(func(d *api.SliceDraft) { d.Description = &text }),
				draft(func(d *api.SliceDraft) { d.SourceURL = &text }))
		}
		for _, url := range []string{"javascript:alert(1)", " JavaScript\t:alert(1)",
			"data:text/html,x", "vbscript:x", "/cart", "shop://cart", "https://shop.example/javascript:x"} {
			cases = append(cases, draft(func(d *api.SliceDraft) { d.SourceURL = &url }))
		}
		for _, d := range cases {
			assert.Equal(t, "the refusal of a draft", compared(d), filed(d))
		}
		unsafe := "javascript:alert(1)"
		p, ok := errors.AsType[*api.Problem](compared(draft(func(d *api.SliceDraft) { d.SourceURL = &unsafe })))
		if !ok || len(p.Errors) != 1 || p.Errors[0].Pointer != "/sourceUrl" || p.Errors[0].Code != "unsafe_address" {
			t.Errorf("a draft with a script: %+v", p)
		}
	})
}
