package tracker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
)

// TestInvalidInputIsRefused: a caller in Go is refused with the same faults as a request over HTTP.
func TestInvalidInputIsRefused(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprint("label", i)
	}
	banana := api.Priority("banana")
	engines(t, func(t *testing.T, w *world) {
		for name, c := range map[string]struct {
			fields api.SliceFields
			fault  string
		}{
			"empty summary": {api.SliceFields{}, "/summary empty"},
			"priority":      {api.SliceFields{Summary: "s", Priority: &banana}, "/priority not_allowed"},
			"200 labels":    {api.SliceFields{Summary: "s", Labels: many}, "/labels too_many"},
			"metadata": {api.SliceFields{Summary: "s", Metadata: map[string]string{"a": strings.Repeat("x", 5000)}},
				"/metadata/a too_long"},
			"repeated label": {api.SliceFields{Summary: "s", Labels: []string{"a", "a"}}, "/labels repeated"},
		} {
			in, err := input.Check(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				SliceFields: c.fields}})
			if _, unchecked := w.CreateSlice(t.Context(), w.owner, in); unchecked == nil {
				t.Errorf("%s: filed", name)
			}
			var p *api.Problem
			if !errors.As(err, &p) || p.Code != api.CodeInvalidBody || len(p.Errors) != 1 {
				t.Errorf("%s: %v, want invalid_body with one fault", name, err)
			} else if got := p.Errors[0].Pointer + " " + p.Errors[0].Code; got != c.fault {
				t.Errorf("%s: %s, want %s", name, got, c.fault)
			}
		}
	})
}

// TestUncheckedInputIsRefused: an input that nobody validated is an error, not a page without a limit.
func TestUncheckedInputIsRefused(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.file(t, "one", "")
		if _, err := w.ListSlices(t.Context(), w.owner, input.Valid[api.ListSlices]{}); err == nil {
			t.Error("a list was answered")
		}
		if _, err := w.CreateWorkspace(t.Context(), w.owner, input.Valid[api.CreateWorkspace]{}); err == nil {
			t.Error("a workspace was made")
		}
		page, err := w.ListSlices(t.Context(), w.owner, valid(api.ListSlices{}))
		if err != nil || page.Pagination.Limit != api.DefaultLimit || len(page.Data) != 1 {
			t.Errorf("%+v, %v", page, err)
		}
	})
}

// TestRightsAreCheckedBeforeInput: a caller without the right is refused for that, and learns nothing about the input.
func TestRightsAreCheckedBeforeInput(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		_, list := w.ListEvents(t.Context(), access.Caller{}, input.Valid[api.ListEvents]{})
		_, stream := w.StreamEvents(t.Context(), access.Caller{}, input.Valid[api.ListEvents]{})
		if code(list) != api.CodeUnauthorized || code(stream) != api.CodeUnauthorized {
			t.Errorf("the list: %v; the stream: %v", list, stream)
		}
	})
}
