package oauth_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/oauth"
	"bugslice/internal/tracker"
)

// TestCodeFlow: a client gets the scopes that the user allows and no others, in a key like others, whose token it
// renews. The key keeps its id, and ends with all its tokens when it is revoked.
func TestCodeFlow(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Assistant", loopback)
		tokens, err := w.exchange(t, p, w.approve(t, p, owner, w.choice("slices:read", "user:read", "keys:manage")))
		must(t, err)
		if tokens.Scope != "slices:read user:read" || tokens.ExpiresIn != 3600 || tokens.Type != "Bearer" {
			t.Errorf("%+v", tokens)
		}
		keys := w.keys(t, owner)
		if len(keys) != 1 || keys[0].Name != "Assistant (on this computer)" || keys[0].Type != api.PAT ||
			keys[0].ExpiresAt.Sub(w.now).Round(time.Hour) != 90*24*time.Hour {
			t.Fatalf("%+v", keys)
		}
		details, err := w.tracker.KeyDetails(t.Context(), w.session(t, owner).Caller, keys)
		must(t, err)
		if c := details[keys[0].ID].Client; c != (tracker.KeyClient{ID: p.id, Name: "Assistant", Renews: true}) {
			t.Errorf("the key is for %+v", c)
		}
		w.now = w.now.Add(59 * time.Minute)
		if !w.works(t, tokens.Access) {
			t.Error("the token ends early")
		}
		w.now = w.now.Add(time.Minute)
		if w.works(t, tokens.Access) {
			t.Error("the token works after an hour")
		}
		next, err := w.refresh(p, tokens.Refresh)
		must(t, err)
		after := w.keys(t, owner)
		if !w.works(t, next.Access) || len(after) != 1 || after[0].ID != keys[0].ID || next.Refresh == tokens.Refresh {
			t.Errorf("%+v, %+v", next, after)
		}
		w.revoke(t, keys[0].ID)
		_, err = w.refresh(p, next.Refresh)
		refused(t, "a refresh after the key was revoked", err, "invalid_grant")
		if w.works(t, next.Access) {
			t.Error("a token of the revoked key works")
		}
	})
}

// revoke lets the owner revoke a key.
func (w *world) revoke(t *testing.T, keyID string) {
	t.Helper()
	v, err := input.Check(api.RevokeKey{KeyID: keyID})
	must(t, err)
	_, err = w.tracker.RevokeKey(t.Context(), w.session(t, owner).Caller, v)
	must(t, err)
}

// TestCodeIsBound: a code gives nothing to who has it and not all else of its request; then its client still gets its
// token. A code that is used twice ends the key.
func TestCodeIsBound(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p, other := w.register(t, "Assistant", loopback), w.register(t, "Other", loopback)
		code := w.approve(t, p, owner, w.choice("slices:read"))
		for what, c := range map[string]struct{ pairs, want string }{
			"no code":                {"code=", "invalid_grant"},
			"another code":           {"code=x", "invalid_grant"},
			"no verifier":            {"code_verifier=", "invalid_grant"},
			"another verifier":       {"code_verifier=" + strings.Repeat("w", 43), "invalid_grant"},
			"the challenge itself":   {"code_verifier=" + p.request().Get("code_challenge"), "invalid_grant"},
			"a short verifier":       {"code_verifier=v", "invalid_grant"},
			"another client":         {"client_id=" + other.id, "invalid_grant"},
			"the command line":       {"client_id=" + oauth.CommandLine, "invalid_grant"},
			"no client":              {"client_id=", "invalid_request"},
			"another redirect":       {"redirect_uri=http://127.0.0.1:1/callback", "invalid_grant"},
			"another resource":       {"resource=https://other.example.com/mcp", "invalid_target"},
			"another own resource":   {"resource=" + base, "invalid_target"},
			"no grant type":          {"grant_type=", "invalid_request"},
			"a password":             {"grant_type=password", "unsupported_grant_type"},
			"as a device code":       {"grant_type=" + oauth.GrantDevice, "unauthorized_client"},
			"as a code of a command": {"grant_type=" + oauth.GrantRefresh, "invalid_grant"},
		} {
			name, value, _ := strings.Cut(c.pairs, "=")
			_, err := w.exchange(t, p, code, name, value)
			refused(t, what, err, c.want)
		}
		_, err := w.Token(t.Context(), access.Request{},
			url.Values{"grant_type": {oauth.GrantCode, oauth.GrantCode}, "client_id": {p.id}})
		refused(t, "a parameter twice", err, "invalid_request")
		tokens, err := w.exchange(t, p, code)
		must(t, err)
		_, err = w.exchange(t, p, code)
		refused(t, "the same code again", err, "invalid_grant")
		if keys := w.keys(t, owner); len(keys) != 0 || w.works(t, tokens.Access) {
			t.Errorf("the key of a code that was used twice works: %+v", keys)
		}
	})
}

// TestRefreshIsOnce: a refresh token that was replaced ends the key, whoever sends it; one of another client, or that
// is none, changes nothing.
func TestRefreshIsOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p, other := w.register(t, "Assistant", loopback), w.register(t, "Other", loopback)
		first, err := w.exchange(t, p, w.approve(t, p, owner, w.choice("slices:read")))
		must(t, err)
		second, err := w.refresh(p, first.Refresh)
		must(t, err)
		if !w.works(t, first.Access) {
			t.Error("requests with the former token fail at once")
		}
		w.now = w.now.Add(time.Minute)
		if w.works(t, first.Access) || !w.works(t, second.Access) {
			t.Error("the former token outlives its minute, or the new one does not work")
		}
		for what, c := range map[string]struct{ token, name, value, want string }{
			"another client":  {second.Refresh, "client_id", other.id, "invalid_grant"},
			"no token":        {"", "", "", "invalid_grant"},
			"an access token": {second.Access, "", "", "invalid_grant"},
			"more scopes":     {second.Refresh, "scope", "slices:read slices:write", "invalid_scope"},
			"a resource":      {second.Refresh, "resource", "https://other.example.com", "invalid_target"},
		} {
			_, err := w.refresh(p, c.token, c.name, c.value)
			refused(t, what, err, c.want)
		}
		third, err := w.refresh(p, second.Refresh, "scope", "slices:read")
		must(t, err)
		_, err = w.refresh(p, first.Refresh)
		refused(t, "a token that was replaced", err, "invalid_grant")
		_, err = w.refresh(p, third.Refresh)
		refused(t, "the newest token, after that", err, "invalid_grant")
		if w.works(t, third.Access) || len(w.keys(t, owner)) != 0 {
			t.Error("the key works after a refresh token was used twice")
		}
	})
}

// TestGrantEndsWithItsUser: a key ends when its user is disabled, and the service token of a workspace is not renewed
// when its user does not administer the workspace any more.
func TestGrantEndsWithItsUser(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Assistant", loopback)
		own, err := w.exchange(t, p, w.approve(t, p, member, w.choice("slices:read")))
		must(t, err)
		must(t, w.operator.In(w.org).InTransaction(t.Context(), func(tx *tracker.OperatorTx) error {
			return tx.AddMember(w.workspace, w.users[member], api.RoleAdmin)
		}))
		c := w.choice("slices:read")
		c.WorkspaceID = w.workspace
		service, err := w.exchange(t, p, w.approve(t, p, member, c))
		must(t, err)
		if who, err := w.tracker.Authenticate(t.Context(), service.Access); err != nil ||
			who.WorkspaceID != w.workspace {
			t.Fatalf("%+v (%v)", who, err)
		}
		must(t, w.operator.In(w.org).InTransaction(t.Context(), func(tx *tracker.OperatorTx) error {
			return tx.AddMember(w.workspace, w.users[member], api.RoleMember)
		}))
		_, err = w.refresh(p, service.Refresh)
		refused(t, "a service whose user is no admin", err, "invalid_grant")
		disable, err := input.Check(api.DisableUser{UserID: w.users[member]})
		must(t, err)
		_, err = w.tracker.DisableUser(t.Context(), w.session(t, owner).Caller, disable)
		must(t, err)
		_, err = w.refresh(p, own.Refresh)
		refused(t, "the key of a disabled user", err, "invalid_grant")
		if w.works(t, own.Access) {
			t.Error("the token of a disabled user works")
		}
	})
}

// TestDisablingEndsGrants: what programs have of a user who is disabled, or a service token that it has allowed, works
// no more when the user is enabled again; a PAT of the user does.
func TestDisablingEndsGrants(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		must(t, w.operator.In(w.org).InTransaction(t.Context(), func(tx *tracker.OperatorTx) error {
			return tx.AddMember(w.workspace, w.users[member], api.RoleAdmin)
		}))
		p, codes := w.register(t, "Assistant", loopback), w.start(t, "slices:read")
		own, err := w.exchange(t, p, w.approve(t, p, member, w.choice("slices:read")))
		must(t, err)
		c := w.choice("slices:read")
		c.WorkspaceID = w.workspace
		service, err := w.exchange(t, p, w.approve(t, p, member, c))
		must(t, err)
		unredeemed := w.approve(t, p, member, w.choice("slices:read"))
		_, err = w.ApproveDevice(t.Context(), w.session(t, member), from("192.0.2.1"), codes.User,
			w.choice("slices:read"))
		must(t, err)
		create, err := input.Check(api.CreateKey{Body: api.KeyFields{Name: "Script", Type: api.PAT,
			Scopes: []api.Scope{api.SlicesRead}}})
		must(t, err)
		pat, err := w.tracker.CreateKey(t.Context(), w.session(t, member).Caller, create)
		must(t, err)
		must(t, w.operator.DisableUser(t.Context(), w.users[member]))
		if w.works(t, service.Access) || w.works(t, pat.Token) {
			t.Error("a token of a disabled user works")
		}
		must(t, w.operator.EnableUser(t.Context(), w.users[member]))
		if w.works(t, own.Access) || w.works(t, service.Access) || !w.works(t, pat.Token) {
			t.Error("after the user is enabled, the PAT works and no token of a program does")
		}
		for what, refresh := range map[string]string{"own": own.Refresh, "service": service.Refresh} {
			_, err = w.refresh(p, refresh)
			refused(t, "the refresh token: "+what, err, "invalid_grant")
		}
		_, err = w.exchange(t, p, unredeemed)
		refused(t, "the code", err, "invalid_grant")
		_, err = w.poll(t, codes.Device)
		refused(t, "the device code", err, "access_denied")
		if keys := w.keys(t, member); len(keys) != 1 || keys[0].ID != pat.ID {
			t.Errorf("keys: %+v", keys)
		}
		if n := w.revoked(t); n != 4 {
			t.Errorf("%d events of revoked keys", n)
		}
	})
}

// revoked returns how many events in the audit log say that a key was revoked.
func (w *world) revoked(t *testing.T) int {
	t.Helper()
	v, err := input.Check(api.ListAuditLog{AuditFilters: api.AuditFilters{Type: string(api.EventKeyRevoked)}})
	must(t, err)
	page, err := w.tracker.ListAuditLog(t.Context(), w.session(t, owner).Caller, v)
	must(t, err)
	return len(page.Events)
}

// TestConsentLastsAYear: a user allows a program a year, and no longer.
func TestConsentLastsAYear(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p, c := w.register(t, "Assistant", loopback), w.choice("slices:read")
		a, err := w.Authorization(t.Context(), p.request("scope", "slices:read"))
		must(t, err)
		for days, want := range map[int]string{365: "", 368: "/expiresAt too_late"} {
			c.ExpiresAt = api.At(w.now.AddDate(0, 0, days)).String()
			_, err := w.Approve(t.Context(), w.session(t, owner), a, c)
			refused(t, "days", err, want)
		}
	})
}

// TestCodeExpires: a code works for a minute. A key whose token nobody has fetched is revoked.
func TestCodeExpires(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Assistant", loopback)
		code := w.approve(t, p, owner, w.choice("slices:read"))
		w.now = w.now.Add(time.Minute)
		_, err := w.exchange(t, p, code)
		refused(t, "after a minute", err, "invalid_grant")
		if n := len(w.keys(t, owner)); n != 1 {
			t.Errorf("%d keys before the job", n)
		}
		w.pass(t, time.Second)
		if n := len(w.keys(t, owner)); n != 0 {
			t.Errorf("%d keys after the job", n)
		}
	})
}

// TestApprovalNeedsProof: a session without a recent proof of the password allows nothing, and no key does. Another
// choice than what is offered is refused, and adds no scope.
func TestApprovalNeedsProof(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Assistant", loopback)
		a, err := w.Authorization(t.Context(), p.request("scope", "slices:read"))
		must(t, err)
		s := w.session(t, owner)
		own, past := w.choice("slices:read"), w.choice("slices:read")
		foreign := own
		foreign.WorkspaceID = "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"
		past.ExpiresAt = api.At(w.now.Add(-time.Hour)).String()
		for want, c := range map[string]oauth.Choice{
			"/scopes required":       w.choice("slices:write", "keys:manage"),
			"/expiresAt required":    {Scopes: []string{"slices:read"}},
			"/expiresAt in_the_past": past,
			"/workspaceId unknown":   foreign,
		} {
			_, err := w.Approve(t.Context(), s, a, c)
			refused(t, want, err, want)
		}
		_, err = w.Approve(t.Context(), s, a, oauth.Choice{WorkspaceID: "x"})
		if p, ok := errors.AsType[*api.Problem](err); !ok || len(p.Errors) != 3 {
			t.Errorf("a form with three faults: %v", err)
		}
		own.WorkspaceID = w.workspace
		_, err = w.Approve(t.Context(), w.session(t, member), a, own)
		refused(t, "a member who wants a service", err, "/workspaceId unknown")
		own.WorkspaceID = ""
		w.now = w.now.Add(16 * time.Minute)
		_, err = w.Approve(t.Context(), s, a, own)
		refused(t, "a session that is long signed in", err, "proof")
		s.Caller.Scopes = nil
		_, err = w.Approve(t.Context(), s, a, own)
		refused(t, "without the right", err, api.CodeScope)
		if n := len(w.keys(t, owner)); n != 0 {
			t.Errorf("%d keys", n)
		}
		own.Once = "once"
		_, err = w.Approve(t.Context(), w.session(t, owner), a, own)
		must(t, err)
		_, err = w.Approve(t.Context(), w.session(t, owner), a, own)
		if refused(t, "the same form again", err, api.CodeReplaySecret); len(w.keys(t, owner)) != 1 {
			t.Error("a form that is sent twice makes two keys")
		}
	})
}

// TestRenewedKeysAreNotRotated: the token of a key that a program renews is rotated by nobody else.
func TestRenewedKeysAreNotRotated(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Assistant", loopback)
		tokens, err := w.exchange(t, p, w.approve(t, p, owner, w.choice("slices:read")))
		must(t, err)
		keyID := w.keys(t, owner)[0].ID
		v, err := input.Check(api.RotateKey{KeyID: keyID})
		must(t, err)
		_, err = w.tracker.RotateKey(t.Context(), w.session(t, owner).Caller, v)
		refused(t, "RotateKey", err, api.CodeForbidden)
		_, err = w.operator.RotateAnyKey(t.Context(), keyID, 0)
		refused(t, "RotateAnyKey", err, api.CodeForbidden)
		if !w.works(t, tokens.Access) {
			t.Error("a refused rotation ends the token")
		}
	})
}

// TestRevoke: a program ends its key by any of its tokens, and no other key.
func TestRevoke(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Assistant", loopback)
		revoke := func(token, client string) error {
			return w.Revoke(t.Context(), access.Request{},
				changed(url.Values{"token": {token}}, []string{"client_id", client}))
		}
		for _, by := range []string{"access", "refresh", "former"} {
			tokens, err := w.exchange(t, p, w.approve(t, p, owner, w.choice("slices:read")))
			must(t, err)
			token := map[string]string{"access": tokens.Access, "refresh": tokens.Refresh, "former": tokens.Refresh}[by]
			if by == "former" {
				tokens, err = w.refresh(p, tokens.Refresh)
				must(t, err)
			}
			refused(t, by+" of another client", revoke(token, "ocl_other"), "invalid_client")
			refused(t, "an unknown token", revoke("svc_pat_x", ""), "")
			if !w.works(t, tokens.Access) {
				t.Errorf("%s: a refused revocation ends the key", by)
			}
			must(t, revoke(token, p.id))
			must(t, revoke(token, p.id))
			if w.works(t, tokens.Access) {
				t.Errorf("%s: the token works", by)
			}
		}
		refused(t, "no token", revoke("", ""), "invalid_request")
		v, err := input.Check(api.CreateKey{Body: api.KeyFields{Name: "CI", Type: api.PAT,
			Scopes: []api.Scope{api.SlicesRead}}})
		must(t, err)
		k, err := w.tracker.CreateKey(t.Context(), w.session(t, owner).Caller, v)
		must(t, err)
		must(t, revoke(k.Token, ""))
		if !w.works(t, k.Token) {
			t.Error("a key that was made for no program is revoked")
		}
	})
}
