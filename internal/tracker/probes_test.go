package tracker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/operator"
	"bugslice/internal/tracker"
)

// TestKeysOfOthers: a key that is derived for somebody who does not see every workspace tells nothing about others,
// and who asks for many that are taken is slowed down, by renaming too. An admin of the organisation, who sees them,
// is not.
func TestKeysOfOthers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		member := w.colleague(t, "member@test.example", api.RoleMember, "").Caller
		free, err := w.newWorkspace(member, "Secret plan", "")
		must(t, err)
		must(t, second(w.newWorkspace(w.owner, "Web shop", "WEB")))
		beside, err := w.newWorkspace(member, "Web shop", "")
		must(t, err)
		for want, key := range map[string]string{"SEC": free.Key, "WEB": beside.Key} {
			if !strings.HasPrefix(key, want) || len(key) != 6 || strings.Trim(key[3:], "0123456789") != "" {
				t.Errorf("%s: the key %s, want %s and three digits", want, key, want)
			}
		}
		made, err := w.newWorkspace(w.owner, "Web site", "")
		must(t, err)
		assert.Equal(t, "the key that is derived for an owner", made.Key, "WEB2")
		ask := func(key string) error {
			return second(w.UpdateWorkspace(t.Context(), member,
				valid(api.UpdateWorkspace{WorkspaceID: free.ID, Patch: api.WorkspacePatch{"key": key}})))
		}
		for n := range 5 {
			if n%2 == 0 {
				wantTaken(t, ask("WEB"))
			} else {
				wantTaken(t, second(w.newWorkspace(member, "x", "WEB2")))
			}
		}
		for what, err := range map[string]error{"taken": ask("WEB"), "free": ask("FREE"),
			"new": second(w.newWorkspace(member, "x", "NEW"))} {
			assert.Equal(t, "the sixth key, "+what, code(err), api.CodeRateLimited)
		}
		must(t, second(w.newWorkspace(member, "Another", "")))
		must(t, ask(free.Key)) // which it has
		w.now = w.now.Add(11 * time.Minute)
		must(t, ask("FREE"))
		for range 10 {
			wantTaken(t, second(w.newWorkspace(w.owner, "x", "WEB")))
		}
	})
}

// TestInvitationsOfStrangers: an invitation and its page are the same whether another organisation has an account
// with the address. Who accepts many in vain is slowed down, with the organisation.
func TestInvitationsOfStrangers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		lead := w.colleague(t, "lead@test.example", api.RoleMember, api.RoleAdmin)
		elsewhere, err := w.Bootstrap(ctx, operator.Bootstrap{Organization: "Elsewhere", Workspace: "There",
			Owner: operator.NewUser{Email: "there0@test.example", Password: secretWords}})
		must(t, err)
		for n := range 20 {
			_, err := w.In(api.OrganizationRef{ID: elsewhere.OrganizationID}).AddUser(ctx,
				operator.NewUser{Email: fmt.Sprintf("there%d@test.example", n+1), Password: secretWords})
			must(t, err)
		}
		accept := func(email string) (tracker.ReceivedInvitation, error) {
			text, err := w.InviteUser(ctx, lead, invitationTo(email, w.workspace))
			must(t, err)
			received, err := w.Invitation(ctx, text)
			must(t, err)
			received.Email = ""
			return received, second(w.AcceptInvitation(ctx, client("203.0.113.9"),
				text, tracker.AcceptedInvitation{Name: "Ada", Password: secretWords}))
		}
		known, err := accept("there0@test.example")
		assert.Equal(t, "an address of another organisation", code(err), api.CodeInvalidBody)
		unknown, err := accept("new@test.example")
		must(t, err)
		assert.Equal(t, "what the pages show", known, unknown)
		for n := range 19 {
			assert.Equal(t, "another one", code(second(accept(fmt.Sprintf("there%d@test.example", n+1)))),
				api.CodeInvalidBody)
		}
		for _, email := range []string{"there20@test.example", "new2@test.example"} {
			assert.Equal(t, "after 20 in vain, "+email, code(second(accept(email))), api.CodeRateLimited)
		}
		w.now = w.now.Add(61 * time.Minute)
		lead, _ = w.signIn(t, "lead@test.example")
		must(t, second(accept("new3@test.example")))
	})
}
