package tracker_test

import (
	"fmt"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/input"
)

// TestLabelColors: an admin chooses the colors of labels by a merge patch, which leaves the others; null takes
// one away. Other colors and more than 100 labels are refused, and members of the workspace choose none.
func TestLabelColors(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		set := func(colors any) error {
			v, err := input.Check(api.UpdateWorkspace{WorkspaceID: w.workspace,
				Patch: api.WorkspacePatch{"labelColors": colors}})
			if err != nil {
				return err
			}
			return second(w.UpdateWorkspace(t.Context(), w.owner, v))
		}
		wants := func(want map[string]api.LabelColor) {
			t.Helper()
			got, err := w.GetWorkspace(t.Context(), w.owner, valid(api.GetWorkspace{WorkspaceID: w.workspace}))
			must(t, err)
			assert.Equal(t, "the colors", got.LabelColors, want)
			mine, err := w.MyWorkspaces(t.Context(), w.owner)
			must(t, err)
			assert.Equal(t, "the colors for pages", len(mine[0].LabelColors), len(want))
		}
		wants(map[string]api.LabelColor{})
		must(t, set(map[string]any{"checkout": "red", "cart": "teal"}))
		must(t, set(map[string]any{"cart": nil, " a  <b>": "blue"}))
		wants(map[string]api.LabelColor{"checkout": "red", "a <b>": "blue"})
		wantCode(t, set(map[string]any{"checkout": "mauve"}), api.CodeInvalidBody)
		wantCode(t, set(map[string]any{"": "red"}), api.CodeInvalidBody)
		many := map[string]any{}
		for i := range 99 {
			many[fmt.Sprint("label ", i)] = "green"
		}
		wantCode(t, set(many), api.CodeInvalidBody)
		wants(map[string]api.LabelColor{"checkout": "red", "a <b>": "blue"})
		must(t, set(map[string]any{" a <b>  ": nil, "\u200b": "red", "\u200bcheckout": "red"}))
		wants(map[string]api.LabelColor{"checkout": "red"})
		before, err := w.GetWorkspace(t.Context(), w.owner, valid(api.GetWorkspace{WorkspaceID: w.workspace}))
		must(t, err)
		must(t, set(map[string]any{" checkout ": "red"}))
		after, err := w.GetWorkspace(t.Context(), w.owner, valid(api.GetWorkspace{WorkspaceID: w.workspace}))
		must(t, err)
		assert.Equal(t, "the version after no change", after.Version, before.Version)
		must(t, set(nil))
		wants(map[string]api.LabelColor{})
	})
}
