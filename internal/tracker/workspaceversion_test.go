package tracker_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestWorkspaceVersion: a change that is based on another version of a workspace is refused and changes nothing.
func TestWorkspaceVersion(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		update := func(ifMatch, name string) (api.Workspace, error) {
			return w.UpdateWorkspace(t.Context(), w.owner, valid(api.UpdateWorkspace{WorkspaceID: w.workspace, IfMatch: ifMatch, Patch: api.Patch[api.WorkspaceFields]{"name": name}}))
		}
		read := func() api.Workspace {
			got, err := w.GetWorkspace(t.Context(), w.owner, valid(api.GetWorkspace{WorkspaceID: w.workspace}))
			must(t, err)
			return got
		}
		former := read().ETag()
		w.report(t, "f", api.SliceFields{Summary: "a"})
		assert.Equal(t, "the ETag after a report", read().ETag(), former)
		changed, err := update(former, "two")
		must(t, err)
		wantCode(t, second(update(former, "three")), api.CodePrecondition)
		assert.Equal(t, "the workspace after a refused change", read(), changed)
		must(t, second(update(changed.ETag(), "four")))
		must(t, second(update("", "five")))
		assert.Equal(t, "the name", read().Name, "five")
	})
}
