package tracker_test

import (
	"slices"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/operator"
	"bugslice/internal/query"
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
			got := w.idsNamed(t, f.by, f.workspace, [2]string{query.Assignee, f.text})
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
			assert.Equal(t, by.Name, len(w.idsNamed(t, *by, "", [2]string{query.Space, "CAFÉ 2"})), len(want))
		}
		assert.Equal(t, "the beginning of a name",
			len(w.idsNamed(t, w.owner, w.workspace, [2]string{query.Space, "Café"})), 0)
		hidden := w.Directory(ctx, c.outsider, w.workspace)
		for _, err := range []error{
			second(hidden.Find(query.Assignee, "ek")),
			second(hidden.Find(query.Space, "Café 2")),
			second(w.UniqueNames(ctx, c.outsider, w.workspace, []string{bo})),
		} {
			wantCode(t, err, api.CodeNotFound)
		}
	})
}

// idsNamed returns the ids of the records that a word and a name mean, in order.
func (w *world) idsNamed(t *testing.T, by access.Caller, workspaceID string, named [2]string) (ids []string) {
	t.Helper()
	found, err := w.Directory(t.Context(), by, workspaceID).Find(named[0], named[1])
	must(t, err)
	for _, m := range found {
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	return ids
}
