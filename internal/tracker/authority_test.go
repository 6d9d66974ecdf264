package tracker_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/operator"
)

// TestEveryOperationAsksForItsRight calls each operation as every kind of caller that lacks the right to it. Each is
// refused with the code of its lack, and nothing is stored. The owner then succeeds with the same inputs.
func TestEveryOperationAsksForItsRight(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		everyOperation(t)
		callers := newCallers(t, f)
		before := f.stored(t)
		for _, o := range operations {
			for who, r := range callers.refused(o) {
				shown, err := o.call(t.Context(), f, r.caller)
				if got := code(err); got != r.code {
					t.Errorf("%s as %s: %s, want %s (%v)", o.id, who, got, r.code, shown)
				}
			}
			if after := f.stored(t); after != before {
				t.Fatalf("%s stored something for a caller whom it refuses:\n%s", o.id, difference(before, after))
			}
		}
	})
}

// TestRightsSuffice: members and services of the workspace may read everything that is not for admins alone.
func TestRightsSuffice(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		allowed := map[string]access.Caller{"a service": w.authenticate(t, w.service(t).Token),
			"a member": w.authenticate(t, w.user(t, "member@test.example").Token)}
		for _, o := range operations {
			if api.Lookup(o.id).Effect != api.Reads {
				continue
			}
			for who, c := range allowed {
				if who == "a member" && o.member != "" || o.admin != "" ||
					who == "a service" && api.Lookup(o.id).Callers == api.UsersOnly {
					continue
				}
				shown := f.shown(t, o, c)
				if shown == "" {
					t.Errorf("%s refuses %s", o.id, who)
				}
				for id, wanted := range map[string]string{api.OpListSlices: f.slice,
					api.OpListWorkspaces: f.workspace} {
					if o.id == id && !strings.Contains(shown, wanted) {
						t.Errorf("%s does not show %s to %s", o.id, wanted, who)
					}
				}
				if o.unlisted == nil || who == "a member" {
					continue
				}
				if secret := o.unlisted(f)[0]; !strings.Contains(shown, secret) {
					t.Errorf("%s does not show %s to %s", o.id, secret, who)
				}
			}
		}
	})
}

// TestListsShowWhatTheCallerMaySee: an answer that names no workspace shows nothing of those of others, and members
// are shown nothing that is for admins.
func TestListsShowWhatTheCallerMaySee(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		callers := newCallers(t, f)
		for _, o := range operations {
			if api.Lookup(o.id).Effect != api.Reads {
				continue
			}
			owner := f.shown(t, o, w.owner)
			if o.outside == "" {
				for who, c := range callers.outside {
					shown := f.shown(t, o, c)
					for _, secret := range []string{f.workspace, f.slice, f.hook, f.wst, w.owner.KeyID()} {
						if strings.Contains(shown, secret) {
							t.Errorf("%s shows %s to %s", o.id, secret, who)
						}
					}
				}
			}
			if o.unlisted == nil {
				continue
			}
			member := f.shown(t, o, callers.member)
			for _, secret := range o.unlisted(f) {
				if !strings.Contains(owner, secret) {
					t.Errorf("%s does not show %s to the owner", o.id, secret)
				}
				if strings.Contains(member, secret) {
					t.Errorf("%s shows %s to a member", o.id, secret)
				}
			}
		}
	})
}

// everyOperation holds the calls against the contract.
func everyOperation(t *testing.T) {
	t.Helper()
	called := map[string]bool{}
	for _, o := range operations {
		called[o.id] = true
	}
	for _, op := range api.Operations {
		if !called[op.ID] {
			t.Errorf("%s is not called: add it to operations", op.ID)
		}
	}
}

// refusal is a caller and the code with which it is refused.
type refusal struct {
	caller access.Caller
	code   string
}

// callers are those that lack rights.
type callers struct {
	outside           map[string]access.Caller // of the workspace
	member, colleague access.Caller            // the colleague is an admin
	superseded        map[string]access.Caller
	ended             map[string]access.Caller // since they were authenticated
	weakened          map[api.Scope]access.Caller
	unproved          map[string]access.Caller
	share             access.Caller // of the slice, with every part
	owner             access.Caller
}

func newCallers(t *testing.T, f *fixture) callers {
	t.Helper()
	ctx, here := t.Context(), f.In(f.owner.Organization)
	user := func(email string, roles ...api.Role) access.Caller {
		u, err := here.AddUser(ctx, operator.NewUser{Email: email, WithToken: true})
		must(t, err)
		for _, role := range roles {
			must(t, here.PutMember(ctx, f.workspace, u.UserID, role))
		}
		return f.authenticate(t, u.Token)
	}
	elsewhere, err := f.Bootstrap(ctx, operator.Bootstrap{Organization: "Other",
		Workspace: "Two", Owner: operator.NewUser{Email: "stranger@test.example"}})
	must(t, err)
	stranger, outsider := f.authenticate(t, elsewhere.Token), user("outsider@test.example")
	beside, err := here.AddWorkspace(ctx, api.WorkspaceFields{Name: "beside"}, outsider.ID)
	must(t, err)
	fields := api.KeyFields{Name: "beside", Type: api.WST, WorkspaceID: &beside.ID, Scopes: api.AllScopes()}
	service, err := f.CreateKey(ctx, outsider, valid(api.CreateKey{Body: fields}))
	must(t, err)
	pretends := outsider
	pretends.Type = access.OperatorCaller
	c := callers{owner: f.owner, member: user("member@test.example", api.RoleMember),
		colleague: user("colleague@test.example", api.RoleAdmin),
		outside: map[string]access.Caller{
			"a user of another organisation":       stranger,
			"a user who is no member":              outsider,
			"a service of another workspace":       f.authenticate(t, service.Token),
			"the operator of another organisation": f.In(stranger.Organization).Caller(),
			"a user who says to be the operator":   pretends,
		}}
	c.share = f.openShare(t, f.share(t, f.owner, f.slice, api.ShareConsole, api.ShareNetwork, api.ShareComments))
	c.superseded, c.ended, c.weakened = f.superseded(t), f.ended(t), map[api.Scope]access.Caller{}
	for _, scope := range api.AllScopes() {
		k := f.mint(t, slices.DeleteFunc(api.AllScopes(), func(s api.Scope) bool { return s == scope }))
		weak := f.authenticate(t, k.Token)
		weak.Scopes = api.AllScopes() // as if it had lost the scope since
		c.weakened[scope] = weak
	}
	madeUp := access.Caller{Principal: f.owner.Principal, Organization: f.owner.Organization, Scopes: api.AllScopes()}
	withKey := madeUp
	withKey.Credential = access.Key{ID: f.owner.KeyID()}
	operates := madeUp
	operates.Type = access.OperatorCaller
	c.unproved = map[string]access.Caller{"nobody": {}, "a caller without a credential": madeUp,
		"a caller with a key that was made up": withKey, "somebody who says to be the operator": operates,
		"the operator of no store": new(access.Authority).Operator(f.owner.Organization)}
	return c
}

func (w *world) authenticate(t *testing.T, token string) access.Caller {
	t.Helper()
	c, err := w.Authenticate(t.Context(), token)
	must(t, err)
	return c
}

// mint makes a PAT of the owner.
func (w *world) mint(t *testing.T, scopes []api.Scope) api.NewKey {
	t.Helper()
	k, err := w.CreateKey(t.Context(), w.owner,
		valid(api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.PAT, Scopes: scopes}}))
	must(t, err)
	return k
}

// superseded returns callers whose token is in its grace period: since before they were authenticated, and since then.
func (w *world) superseded(t *testing.T) map[string]access.Caller {
	t.Helper()
	k := w.mint(t, api.AllScopes())
	since := w.authenticate(t, k.Token)
	must(t, second(w.RotateKey(t.Context(), w.owner,
		valid(api.RotateKey{KeyID: k.ID, Body: &api.RotateFields{GracePeriodSeconds: 3600}}))))
	return map[string]access.Caller{"a superseded token": w.authenticate(t, k.Token),
		"a token that was superseded meanwhile": since}
}

// ended returns callers whose credential has ended since they were authenticated.
func (w *world) ended(t *testing.T) map[string]access.Caller {
	t.Helper()
	revoked, keyID := w.key(t)
	must(t, second(w.RevokeKey(t.Context(), w.owner, valid(api.RevokeKey{KeyID: keyID}))))
	u, err := w.In(w.owner.Organization).
		AddUser(t.Context(), operator.NewUser{Email: "disabled@test.example", WithToken: true})
	must(t, err)
	must(t, w.In(w.owner.Organization).PutMember(t.Context(), w.workspace, u.UserID, api.RoleAdmin))
	disabled := w.authenticate(t, u.Token)
	must(t, w.Operator.DisableUser(t.Context(), u.UserID))
	w.person(t, "signedout@test.example")
	signedOut, _ := w.signIn(t, "signedout@test.example")
	must(t, w.EndSession(t.Context(), signedOut, signedOut.ID))
	return map[string]access.Caller{"a caller whose key was revoked": revoked,
		"a caller whose account was disabled": disabled,
		"a caller who has signed out":         signedOut.Caller}
}

// refused returns those whom an operation refuses, with the codes.
func (c callers) refused(o operation) map[string]refusal {
	all, op := map[string]refusal{}, api.Lookup(o.id)
	add := func(of map[string]access.Caller, code string) {
		for who, caller := range of {
			all[who] = refusal{caller, code}
		}
	}
	add(c.unproved, api.CodeUnauthorized)
	if _, shared := sharedOperations[o.id]; !shared {
		code := api.CodeNotFound
		if slices.ContainsFunc(op.Scopes(), func(s api.Scope) bool { return s != api.SlicesRead }) {
			code = api.CodeScope
		}
		all["somebody with the link of a share"] = refusal{c.share, code}
	}
	if o.outside != "" {
		add(c.outside, o.outside)
	}
	if op.Callers == api.UsersOnly {
		for who, caller := range c.outside {
			if caller.Type != access.UserCaller {
				all[who] = refusal{caller, api.CodeForbidden}
			}
		}
	}
	if o.member != "" {
		all["a member"] = refusal{c.member, o.member}
	}
	if o.admin != "" {
		all["another admin"] = refusal{c.colleague, o.admin}
	}
	for _, scope := range op.Scopes() {
		without := c.owner
		without.Scopes = slices.DeleteFunc(api.AllScopes(), func(s api.Scope) bool { return s == scope })
		all["a caller without the scope "+string(scope)] = refusal{without, api.CodeScope}
	}
	if op.Effect == api.Reads {
		return all
	}
	add(c.ended, api.CodeUnauthorized)
	for _, scope := range op.Scopes() {
		all["a caller that lost the scope "+string(scope)+" meanwhile"] = refusal{c.weakened[scope], api.CodeScope}
	}
	if op.Effect == api.Lasting {
		add(c.superseded, api.CodeSuperseded)
	}
	return all
}

// stored returns everything that is stored.
func (f *fixture) stored(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	_, err := f.store.Dump(context.Background(), func(string) (io.Writer, error) { return &all, nil })
	must(t, err)
	must(t, f.blobs.List(t.Context(), func(e blob.Entry) error { return second(all.WriteString(e.Key + "\n")) }))
	return all.String()
}

// difference returns the lines that one text has and the other has not.
func difference(a, b string) string {
	lines := map[string]int{}
	for line := range strings.Lines(a) {
		lines[line]--
	}
	for line := range strings.Lines(b) {
		lines[line]++
	}
	maps.DeleteFunc(lines, func(_ string, n int) bool { return n == 0 })
	return strings.Join(slices.Collect(maps.Keys(lines)), "")
}

// shown returns what a reading operation shows, as JSON; nothing when the caller is refused.
func (f *fixture) shown(t *testing.T, o operation, c access.Caller) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	out, err := o.call(ctx, f, c)
	if err != nil {
		return ""
	}
	text, err := json.Marshal(out)
	must(t, err)
	return string(text)
}
