package tracker_test

import (
	"errors"
	"testing"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/operator"
)

// TestNamesAreOneLine: no name of a person, a workspace, a space, a key or an organisation has characters that are
// not seen. The fault is at its member.
func TestNamesAreOneLine(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, here := t.Context(), w.In(w.owner.Organization)
		w.person(t, "u@test.example")
		s, _ := w.signIn(t, "u@test.example")
		for _, name := range []string{"Ada\nOwner", "Ada\u202enimda", "Ada\u200b"} {
			profile := api.ProfileFields{Name: name, Theme: api.ThemeDark, TimeZone: "UTC"}
			workspace := api.CreateWorkspace{Body: api.WorkspaceFields{Name: name}}
			renamed := api.UpdateWorkspace{WorkspaceID: w.workspace, Patch: api.WorkspacePatch{"name": name}}
			space := api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: name}}
			key := api.CreateKey{Body: api.KeyFields{Name: name, Type: api.PAT, Scopes: api.AllScopes()}}
			for what, err := range map[string]error{
				"profile": second(w.UpdateProfile(ctx, s, "1", profile)), "workspace": second(input.Check(workspace)),
				"renamed workspace": second(input.Check(renamed)), "space": second(input.Check(space)),
				"key": second(input.Check(key)),
			} {
				var p *api.Problem
				if !errors.As(err, &p) || p.Code != api.CodeInvalidBody || len(p.Errors) != 1 ||
					p.Errors[0].Pointer != "/name" {
					t.Errorf("%s %q: %v", what, name, err)
				}
			}
			if _, err := here.AddUser(ctx, operator.NewUser{Email: "new@test.example", Name: name}); err == nil {
				t.Errorf("the operator adds %q", name)
			}
			first := operator.Bootstrap{Organization: name, Workspace: "One",
				Owner: operator.NewUser{Email: "o@else.example"}}
			if _, err := w.Bootstrap(ctx, first); err == nil {
				t.Errorf("the operator adds the organisation %q", name)
			}
		}
	})
}
