package tracker_test

import (
	"fmt"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/operator"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// TestLinksWorkOnce: of 20 requests that use a link at once, one succeeds, and the others are refused.
func TestLinksWorkOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		owner := w.colleague(t, "owner2@test.example", api.RoleOwner, "")
		u := w.colleague(t, "u@test.example", api.RoleMember, api.RoleMember)
		invitation, err := w.InviteUser(ctx, owner, invitationTo("new@test.example", w.workspace))
		must(t, err)
		reset, err := w.CreateResetLink(ctx, owner, u.Caller.ID)
		must(t, err)
		for what, use := range map[string]func(n int) error{
			"an invitation": func(n int) error {
				in := tracker.AcceptedInvitation{Name: fmt.Sprint("N", n), Password: secretWords}
				return second(w.AcceptInvitation(ctx, client("203.0.113.9"), invitation, in))
			},
			"a link to reset a password": func(n int) error {
				return second(w.ResetPassword(ctx, client("203.0.113.9"), reset, fmt.Sprint("another password ", n)))
			},
		} {
			used := 0
			for _, err := range atOnce(20, use) {
				if err == nil {
					used++
				} else if code(err) != api.CodeNotFound {
					t.Errorf("%s: %v", what, err)
				}
			}
			if used != 1 {
				t.Errorf("%s was used %d times", what, used)
			}
		}
	})
}

// TestLastOwnerAndAdminStayInRaces: of two changes at once that each would leave somebody else, one is refused.
func TestLastOwnerAndAdminStayInRaces(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for round := range 3 {
			f, err := w.Bootstrap(ctx, operator.Bootstrap{Organization: fmt.Sprint("R", round), Workspace: "There",
				Owner: operator.NewUser{Email: fmt.Sprintf("a%d@race.example", round), Password: secretWords}})
			must(t, err)
			a, _ := w.signIn(t, fmt.Sprintf("a%d@race.example", round))
			added, err := w.In(a.Caller.Organization).AddUser(ctx,
				operator.NewUser{Email: fmt.Sprintf("b%d@race.example", round), Password: secretWords,
					Role: api.RoleOwner})
			must(t, err)
			must(t, w.PutMember(ctx, a, f.WorkspaceID, added.UserID, api.RoleAdmin))
			b, _ := w.signIn(t, fmt.Sprintf("b%d@race.example", round))
			id := map[string]string{"a": a.Caller.ID, "b": b.Caller.ID}
			for what, calls := range map[string][2]func() error{
				"owners lower each other": {
					func() error { return w.ChangeUserRole(ctx, a, id["b"], api.RoleMember) },
					func() error { return w.ChangeUserRole(ctx, b, id["a"], api.RoleMember) }},
				"owners leave": {
					func() error { return w.ChangeUserRole(ctx, a, id["a"], api.RoleMember) },
					func() error { return w.ChangeUserRole(ctx, b, id["b"], api.RoleAdmin) }},
				"admins remove each other": {
					func() error { return w.RemoveMember(ctx, a, f.WorkspaceID, id["b"]) },
					func() error { return w.PutMember(ctx, b, f.WorkspaceID, id["a"], api.RoleMember) }},
				"admins leave": {
					func() error { return w.RemoveMember(ctx, a, f.WorkspaceID, id["a"]) },
					func() error { return w.PutMember(ctx, b, f.WorkspaceID, id["b"], api.RoleMember) }},
				"one is disabled and one leaves": {
					func() error { return w.DisableAccount(ctx, a, id["b"]) },
					func() error { return w.RemoveMember(ctx, a, f.WorkspaceID, id["a"]) }},
			} {
				atOnce(len(calls), func(i int) error { return calls[i]() })
				owners, err := w.store.Read(ctx).CountOwners(a.Caller.Organization.ID)
				must(t, err)
				admins, err := w.store.Read(ctx).CountAdmins(f.WorkspaceID)
				must(t, err)
				if owners == 0 || admins == 0 {
					t.Fatalf("%s: %d owners, %d admins", what, owners, admins)
				}
				w.restore(t, a.Caller.Organization, f.WorkspaceID, id)
				a, _ = w.signIn(t, fmt.Sprintf("a%d@race.example", round))
				b, _ = w.signIn(t, fmt.Sprintf("b%d@race.example", round))
			}
		}
	})
}

// restore makes users owners and admins again.
func (w *world) restore(t *testing.T, o api.OrganizationRef, workspaceID string, ids map[string]string) {
	t.Helper()
	for _, id := range ids {
		must(t, w.Operator.EnableUser(t.Context(), id))
		must(t, w.store.Write(t.Context(),
			func(tx *store.Tx) error { return tx.SetOrganizationRole(id, api.RoleOwner) }))
		must(t, w.In(o).PutMember(t.Context(), workspaceID, id, api.RoleAdmin))
	}
}

// TestInvitationsOfOthersStay: an admin of a workspace replaces no invitation that the admin may not revoke.
func TestInvitationsOfOthersStay(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		owner, lead := w.colleague(t, "owner2@test.example", api.RoleOwner, ""),
			w.colleague(t, "lead@test.example", api.RoleMember, api.RoleAdmin)
		f := invitationTo("new@test.example")
		f.Body.Role = api.RoleAdmin
		text, err := w.InviteUser(ctx, owner, f)
		must(t, err)
		if err := second(w.InviteUser(ctx, lead,
			invitationTo("new@test.example", w.workspace))); code(err) != api.CodeInvalidBody {
			t.Errorf("an admin of a workspace replaces the invitation of an owner: %v", err)
		}
		must(t, second(w.Invitation(ctx, text)))
		w.now = w.now.Add(8 * 24 * time.Hour)
		lead, _ = w.signIn(t, "lead@test.example")
		must(t, second(w.InviteUser(ctx, lead, invitationTo("new@test.example", w.workspace))))
	})
}

// TestKeptWorkspaceStays: a workspace that was kept after the job has listed it is not deleted, and one whose time
// has come is kept by nobody.
func TestKeptWorkspaceStays(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.limited(t, 0, 0)
		admin := w.colleague(t, "lead@test.example", api.RoleMember, api.RoleAdmin)
		must(t, w.ScheduleDeletion(ctx, admin, w.workspace, "One"))
		must(t, w.CancelDeletion(ctx, admin, w.workspace))
		must(t, w.DeleteWorkspace(ctx, w.workspace))
		must(t, w.fileAs(admin.Caller))
		must(t, w.ScheduleDeletion(ctx, admin, w.workspace, "One"))
		must(t, w.DeleteWorkspace(ctx, w.workspace))
		must(t, w.fileAs(admin.Caller))
		w.now = w.now.Add(30 * 24 * time.Hour)
		admin, _ = w.signIn(t, "lead@test.example")
		if err := w.CancelDeletion(ctx, admin, w.workspace); code(err) != api.CodeConflict {
			t.Errorf("a workspace is kept after its time: %v", err)
		}
		must(t, w.DeleteWorkspace(ctx, w.workspace))
		if err := w.fileAs(admin.Caller); code(err) != api.CodeNotFound {
			t.Errorf("a deleted workspace: %v", err)
		}
	})
}
