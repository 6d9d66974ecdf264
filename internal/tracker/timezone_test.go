package tracker_test

import (
	"errors"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestTimeZones: the time zone of a workspace is UTC by default. An unknown one is refused, and changes nothing.
func TestTimeZones(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		create := func(zone string) (api.Workspace, error) {
			body := api.WorkspaceFields{Name: "n", TimeZone: zone}
			return w.CreateWorkspace(t.Context(), w.owner, valid(api.CreateWorkspace{Body: body}))
		}
		update := func(id, zone string) (api.Workspace, error) {
			patch := api.WorkspacePatch{"timeZone": zone}
			return w.UpdateWorkspace(t.Context(), w.owner, valid(api.UpdateWorkspace{WorkspaceID: id, Patch: patch}))
		}
		made, err := create("")
		must(t, err)
		assert.Equal(t, "the default", made.TimeZone, "UTC")
		made, err = create("Asia/Kathmandu")
		must(t, err)
		assert.Equal(t, "the time zone of the new workspace", made.TimeZone, "Asia/Kathmandu")
		for _, unknown := range []string{"Mars/Olympus", "Local", "../UTC"} {
			for _, err := range []error{second(create(unknown)), second(update(made.ID, unknown))} {
				wantCode(t, err, api.CodeInvalidBody)
				if p := (*api.Problem)(nil); errors.As(err, &p) {
					assert.Equal(t, "the member at fault", p.Errors[0].Pointer, "/timeZone")
				}
			}
		}
		changed, err := update(made.ID, "America/Havana")
		must(t, err)
		read, err := w.GetWorkspace(t.Context(), w.owner, valid(api.GetWorkspace{WorkspaceID: made.ID}))
		must(t, err)
		assert.Equal(t, "the changed workspace", read, changed)
		assert.Equal(t, "the changed time zone", read.TimeZone, "America/Havana")
	})
}
