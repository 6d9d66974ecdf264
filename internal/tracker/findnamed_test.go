package tracker_test

import (
	"slices"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/operator"
	"bugslice/internal/tracker"
)

// TestNamedRecords: members and spaces are found by their names, in one workspace or in all that the caller sees, and
// by nobody else.
func TestNamedRecords(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, c := t.Context(), newKeyPageCallers(t, w)
		in := w.In(w.owner.Organization)
		add := func(name, email string) string {
			u, err := in.AddUser(ctx, operator.NewUser{Name: name, Email: email, Password: secretWords,
				Role: api.RoleMember})
			must(t, err)
			must(t, in.PutMember(ctx, w.workspace, u.UserID, api.RoleMember))
			return u.UserID
		}
		asa, other, bo := add("Åsa Öberg", "asa@test.example"), add("ÅSA ÖBERG", "asa2@test.example"),
			add("Bo Ek", "bo@test.example")
		for _, f := range []struct {
			who       string
			by        access.Caller
			workspace string
			text      string
			want      []string
		}{
			{"two with one name", w.owner, w.workspace, "asa ob", []string{asa, other}},
			{"an address", w.owner, "", "BO@test.example", []string{bo}},
			{"the beginning of an address", w.owner, "", "bo@test", nil},
			{"an address that the member does not see", c.member, w.workspace, "bo@test.example", nil},
			{"a member finds by name", c.member, "", "ek", []string{bo}},
			{"no letters", w.owner, "", "🦊", nil},
			{"a stranger", c.stranger, "", "ek", nil},
		} {
			members, err := w.MembersNamed(ctx, f.by, f.workspace, f.text)
			must(t, err)
			var got []string
			for _, m := range members {
				got = append(got, m.UserID)
			}
			slices.Sort(f.want)
			assert.Equal(t, f.who, got, f.want)
		}
		names, err := w.UniqueNames(ctx, c.member, "", []string{asa, bo, c.stranger.ID, "none"})
		must(t, err)
		assert.Equal(t, "the names", names,
			map[string]tracker.MemberName{asa: {Name: "Åsa Öberg"}, bo: {Name: "Bo Ek", Alone: true}})
		space, err := w.CreateSpace(ctx, w.owner,
			valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "Café 2"}}))
		must(t, err)
		for by, want := range map[*access.Caller][]api.Space{&w.owner: {space}, &c.member: {space}, &c.stranger: {}} {
			spaces, err := w.SpacesNamed(ctx, *by, "", "CAFÉ 2")
			must(t, err)
			assert.Equal(t, by.Name, len(spaces), len(want))
		}
		spaces, err := w.SpacesNamed(ctx, w.owner, w.workspace, "Café")
		must(t, err)
		assert.Equal(t, "the beginning of a name", len(spaces), 0)
		for _, err := range []error{
			second(w.MembersNamed(ctx, c.outsider, w.workspace, "ek")),
			second(w.SpacesNamed(ctx, c.outsider, w.workspace, "Café 2")),
			second(w.UniqueNames(ctx, c.outsider, w.workspace, []string{bo})),
		} {
			wantCode(t, err, api.CodeNotFound)
		}
	})
}
