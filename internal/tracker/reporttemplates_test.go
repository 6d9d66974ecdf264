package tracker_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/input"
)

// TestReportTemplates: a workspace has the templates that an admin writes, complete and in their order. It refuses two of
// one name and a member that no template can require, and members of the workspace write none.
func TestReportTemplates(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		set := func(templates ...any) error {
			v, err := input.Check(api.UpdateWorkspace{WorkspaceID: w.workspace,
				Patch: api.WorkspacePatch{"reportTemplates": templates}})
			if err != nil {
				return err
			}
			return second(w.UpdateWorkspace(t.Context(), w.owner, v))
		}
		read := func() []api.ReportTemplate {
			got, err := w.GetWorkspace(t.Context(), w.owner, valid(api.GetWorkspace{WorkspaceID: w.workspace}))
			must(t, err)
			return got.ReportTemplates
		}
		assert.Equal(t, "the templates of a new workspace", len(read()), 0)
		high := api.Priority("high")
		must(t, set(map[string]any{"name": "Crash", "summary": "Crash: ", "description": "## Steps", "labels": []any{"crash"},
			"priority": "high", "required": []any{"description", "severity"}}, map[string]any{"name": "Idea <b>"}))
		want := []api.ReportTemplate{{Name: "Crash", Summary: "Crash: ", Description: "## Steps", Labels: []string{"crash"},
			Priority: &high, Required: []api.RequiredMember{"description", "severity"}},
			{Name: "Idea <b>", Labels: []string{}, Required: []api.RequiredMember{}}}
		assert.Equal(t, "the templates", read(), want)
		wantCode(t, set(map[string]any{"name": "Twice"}, map[string]any{"name": "Twice"}), api.CodeInvalidBody)
		wantCode(t, set(map[string]any{"name": "Wrong", "required": []any{"status"}}), api.CodeInvalidBody)
		wantCode(t, set(map[string]any{"name": "Wrong", "labels": []any{"a,b"}}), api.CodeInvalidBody)
		assert.Equal(t, "the templates after refusals", read(), want)
		must(t, set())
		assert.Equal(t, "the templates after they were removed", len(read()), 0)
	})
}
