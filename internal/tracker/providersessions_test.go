package tracker_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/openid/openidtest"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// TestProvidersEndSessions: the request after the next refresh of somebody whom the provider has ended is refused, and an event
// says who ended the session. A session asks at most once in the lifetime of an access token.
func TestProvidersEndSessions(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		p.be(ada())
		out, err := p.enter(t)
		p.opened(t, out, err)
		used := func() error { return w.sessionOf(out.Session.Token) }
		must(t, used())
		if n := p.provider.Refreshes(); n != 0 {
			t.Errorf("%d refreshes at once", n)
		}
		for range 3 { // each refresh replaces the token
			w.now = w.now.Add(5 * time.Minute)
			must(t, used())
			must(t, used())
		}
		if n := p.provider.Refreshes(); n != 3 {
			t.Errorf("%d refreshes in 15 minutes", n)
		}
		p.provider.Be(openidtest.Behavior{Person: ada(), EndsRefresh: true})
		must(t, used())
		w.now = w.now.Add(5 * time.Minute)
		for range 2 {
			if err := used(); code(err) != api.CodeUnauthorized {
				t.Errorf("a session that the provider has ended: %v", err)
			}
		}
		log, err := w.AuditLog(t.Context(), p.proved(t).Caller, api.AuditFilters{Type: string(api.EventSessionEnded)},
			5)
		must(t, err)
		if len(log.Events) != 1 || !strings.Contains(string(log.Events[0].Data), "provider") {
			t.Errorf("%+v", log.Events)
		}
	})
}

// TestProvidersThatAreAway: a provider that does not answer ends no session for an hour, and every session after it. A session
// without a refresh token ends after 12 hours.
func TestProvidersThatAreAway(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		p.be(ada())
		out, err := p.enter(t)
		p.opened(t, out, err)
		p.provider.Be(openidtest.Behavior{Down: true})
		for range 11 {
			w.now = w.now.Add(5 * time.Minute)
			must(t, w.sessionOf(out.Session.Token))
		}
		w.now = w.now.Add(5 * time.Minute)
		if err := w.sessionOf(out.Session.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("after an hour: %v", err)
		}

		w.now = w.now.Add(time.Minute) // a failure to read the document is kept for a while
		p.provider.Be(openidtest.Behavior{Person: ada(), NoRefresh: true})
		out, err = p.enter(t)
		p.opened(t, out, err)
		w.now = w.now.Add(12*time.Hour - time.Second)
		must(t, w.sessionOf(out.Session.Token))
		w.now = w.now.Add(time.Second)
		if err := w.sessionOf(out.Session.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("without a refresh token after 12 hours: %v", err)
		}
	})
}

// TestProvidersThatHang: a provider that takes requests and never answers is left alone after a while. Its people work on, and nobody
// else waits for it, with a password or at a sign-in.
func TestProvidersThatHang(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		p.be(ada())
		out, err := p.enter(t)
		p.opened(t, out, err)
		asked, end := make(chan bool, 100), make(chan bool)
		t.Cleanup(func() { close(end) })
		p.provider.Be(openidtest.Behavior{Raw: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked <- true
			select {
			case <-end:
			case <-r.Context().Done():
			}
		})})
		w.now = w.now.Add(5 * time.Minute)
		waited := make(chan error, 1)
		go func() { waited <- w.sessionOf(out.Session.Token) }()
		<-asked
		p.proved(t)
		w.signIn(t, "boss@test.example")
		select {
		case err := <-waited:
			t.Errorf("the provider did not hang: %v", err)
		default:
		}
		must(t, <-waited)
		w.now = w.now.Add(2 * time.Hour) // the document is read again
		if _, err := p.enter(t); code(err) != api.CodeUnavailable {
			t.Errorf("a sign-in at a provider that hangs: %v", err)
		}
	})
}

// TestLogoutMessages: a message of the provider ends the sessions of its subject, or one session. Every other message, one that
// came before, and a frame that does not know the session end nothing.
func TestLogoutMessages(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		other := openidtest.New(t, func() time.Time { return w.now })
		p.be(ada())
		first, err := p.enter(t)
		p.opened(t, first, err)
		later := ada()
		later.SID = "another-session"
		p.be(later)
		second, err := p.enter(t)
		p.opened(t, second, err)
		send := func(message string) error {
			return p.EndByProvider(t.Context(), client("203.0.113.50"), p.org, message)
		}
		claims := openidtest.Changed
		refused := map[string]string{
			"no message": "",
			"an ID token": p.provider.LogoutToken("ada-1", "", claims(map[string]any{"events": nil,
				"nonce": "x"})),
			"a message with a nonce": p.provider.LogoutToken("ada-1", "", claims(map[string]any{"nonce": "x"})),
			"an old message": p.provider.LogoutToken("ada-1", "",
				claims(map[string]any{"iat": w.now.Add(-time.Hour).Unix()})),
			"an expired message": p.provider.LogoutToken("ada-1", "",
				claims(map[string]any{"exp": w.now.Add(-time.Second).Unix()})),
			"without an identifier": p.provider.LogoutToken("ada-1", "", claims(map[string]any{"jti": nil})),
			"about nobody":          p.provider.LogoutToken("", "", nil),
			"for another client":    p.provider.LogoutToken("ada-1", "", claims(map[string]any{"aud": "other"})),
			"of another issuer": p.provider.LogoutToken("ada-1", "",
				claims(map[string]any{"iss": other.URL})),
			"signed by another provider": other.LogoutToken("ada-1", "",
				claims(map[string]any{"iss": p.provider.URL})),
		}
		for what, message := range refused {
			if err := send(message); !refusedAs(err, "provider") {
				t.Errorf("%s: %v", what, err)
			}
		}
		for what, named := range map[string][2]string{"another issuer": {other.URL, "session-of-ada"},
			"no session":   {p.provider.URL, ""},
			"a short name": {p.provider.URL, "x"}} {
			if err := p.EndInFrame(t.Context(), client("203.0.113.50"), p.org, named[0], named[1]); !refusedAs(err,
				"provider") {
				t.Errorf("a frame with %s: %v", what, err)
			}
		}
		must(t, send(p.provider.LogoutToken("bo-1", "", nil)))
		must(t, w.sessionOf(first.Session.Token))
		must(t, p.EndInFrame(t.Context(), client("203.0.113.50"), p.org, p.provider.URL, "session-of-ada"))
		if err := w.sessionOf(first.Session.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("a session that a frame has ended: %v", err)
		}
		must(t, w.sessionOf(second.Session.Token))
		message := p.provider.LogoutToken("ada-1", "", nil)
		must(t, send(message))
		if err := w.sessionOf(second.Session.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("a session that a message has ended: %v", err)
		}
		if err := send(message); !refusedAs(err, "used") {
			t.Errorf("the message a second time: %v", err)
		}
	})
}

// TestGroups: groups give roles at a sign-in and at each refresh, and take what they gave. What was given by hand, owners and the
// last admin of a workspace stay.
func TestGroups(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		must(t, p.configure(t, func(f *api.ProviderFields) {
			f.Rules = []api.GroupRule{{Group: "admins", Role: api.RoleAdmin}, {Group: "web", WorkspaceID: w.workspace,
				Role: api.RoleMember},
				{Group: "leads", WorkspaceID: w.workspace, Role: api.RoleAdmin}}
		}))
		in := func(groups ...string) openidtest.Person {
			who := ada()
			who.Groups = append([]string{}, groups...)
			return who
		}
		p.be(in("admins", "web", "else"))
		out, err := p.enter(t)
		joined := p.opened(t, out, err)
		roles := func() (organization, workspace api.Role) {
			s, err := p.Session(t.Context(), client("203.0.113.9"), out.Session.Token)
			must(t, err)
			all, err := p.MyWorkspaces(t.Context(), s.Caller)
			must(t, err)
			s, err = p.Session(t.Context(), client("203.0.113.9"), out.Session.Token)
			must(t, err)
			if len(all) > 0 {
				workspace = all[0].Role
			}
			return s.Role, workspace
		}
		expect := func(what string, organization, workspace api.Role) {
			t.Helper()
			if o, ws := roles(); o != organization || ws != workspace {
				t.Errorf("%s: %s of the organisation and %q of the workspace", what, o, ws)
			}
		}
		change := func(who openidtest.Person) {
			p.be(who)
			w.now = w.now.Add(5 * time.Minute)
		}
		expect("at first", api.RoleAdmin, api.RoleMember)
		change(in("leads"))
		expect("a lead", api.RoleMember, api.RoleAdmin)
		change(in())
		expect("in no group", api.RoleMember, "")
		must(t, w.PutMember(t.Context(), p.proved(t), w.workspace, joined.Caller.ID, api.RoleMember))
		change(in("leads"))
		expect("a lead who was a member by hand", api.RoleMember, api.RoleAdmin)
		change(in())
		expect("a member by hand in no group", api.RoleMember, api.RoleMember)
		must(t, w.ChangeUserRole(t.Context(), p.proved(t), joined.Caller.ID, api.RoleOwner))
		change(in("admins"))
		expect("an owner in a group", api.RoleOwner, api.RoleMember)
		change(in())
		expect("an owner in no group", api.RoleOwner, api.RoleMember)
	})
}

// TestNoPasswords: an owner who has tried the provider switches passwords off. Then sessions that began with a password end, and
// passwords, links and invitations with passwords open nothing; the operator's password does, for a day.
func TestNoPasswords(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		colleague := w.colleague(t, "colleague@test.example", api.RoleMember, api.RoleMember)
		admin := w.colleague(t, "admin@test.example", api.RoleAdmin, "")
		_, ofColleague := w.signIn(t, "colleague@test.example")
		off := func(f *api.ProviderFields) { f.PasswordsOff, f.ClientSecret = true, "" }
		if err := p.configure(t, off); !tracker.HasFault(err, tracker.FaultNotTried) {
			t.Errorf("before it was tried: %v", err)
		}
		boss := openidtest.Person{Subject: "boss-1", Email: "boss@test.example"}
		p.be(boss)
		link := func(s tracker.Session) error {
			b, err := p.BeginSignIn(t.Context(), p.org, tracker.SignInPurpose{Purpose: tracker.ToLink, Next: "/"}, &s)
			must(t, err)
			out, err := p.FinishAtProvider(t.Context(), client("203.0.113.7"), tracker.Returned{OrgID: p.org,
				Cookie: b.Cookie,
				Answer: answerOf(p.provider.Enter(t, b.Location)), Session: &s})
			if err != nil {
				return err
			}
			return second(carryOut(t.Context(), s.Caller, p.LinkIdentity,
				api.LinkIdentity{Body: api.ProviderConfirmation{Sealed: out.Sealed}}))
		}
		p.provider.Be(openidtest.Behavior{Person: boss, NoSignInTime: true})
		if err := link(p.proved(t)); !refusedAs(err, "not_fresh") {
			t.Errorf("a provider that says no time: %v", err)
		}
		p.be(boss)
		must(t, link(p.proved(t)))
		if err := p.refusedOf(t, admin, off); !tracker.HasFault(err, tracker.FaultOwnerOnly) {
			t.Errorf("by an admin: %v", err)
		}
		token, err := w.InviteUser(t.Context(), p.proved(t), invitationTo("new@test.example", p.workspace))
		must(t, err)
		reset, err := w.CreateResetLink(t.Context(), p.proved(t), colleague.Caller.ID)
		must(t, err)
		must(t, p.configure(t, off))

		if err := w.sessionOf(ofColleague.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("a session that began with a password: %v", err)
		}
		from := client("203.0.113.7")
		must(t, second(p.Invitation(t.Context(), token)))
		for what, err := range map[string]error{
			"a password": p.try(t, from, "colleague@test.example", secretWords),
			"a link":     second(p.ResetPassword(t.Context(), from, reset, "another password")),
			"an invitation": second(p.AcceptInvitation(t.Context(), from, token,
				tracker.AcceptedInvitation{Name: "New", Password: "another password"})),
		} {
			if !refusedAs(err, "no_passwords") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := p.try(t, from, "colleague@test.example", "wrong password"); code(err) != api.CodeUnauthorized {
			t.Errorf("a wrong password tells about the organisation: %v", err)
		}
		out, err := p.enter(t)
		again := p.opened(t, out, err)
		if _, err := w.CreateResetLink(t.Context(), again, admin.Caller.ID); !refusedAs(err, "no_passwords") {
			t.Errorf("another link: %v", err)
		}
	})
}

// refusedOf is how the settings of somebody else are refused.
func (p *providerWorld) refusedOf(t *testing.T, s tracker.Session, change func(*api.ProviderFields)) error {
	t.Helper()
	f := api.ProviderFields{Name: "Acme", Issuer: p.provider.URL, ClientID: openidtest.ClientID,
		GroupsClaim: "groups"}
	change(&f)
	return second(carryOut(t.Context(), s.Caller, p.UpdateProvider, api.UpdateProvider{Body: f}))
}

// TestOperatorsPassword: where there are no passwords, one that the operator has set opens the account for a day, in sessions that
// end with it.
func TestOperatorsPassword(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			provider, err := tx.Queries.Identities().Provider(p.org)
			if err == nil {
				provider.PasswordsOff = true
				err = tx.Identities().PutProvider(provider)
			}
			return err
		}))
		set, err := w.SetPassword(t.Context(), p.owner.Caller.ID, secretWords)
		must(t, err)
		if !set.Limited {
			t.Error("the operator is not told that the password works for a day")
		}
		s, _ := w.signIn(t, "boss@test.example")
		must(t, second(w.ProvePassword(t.Context(), client("203.0.113.7"), s, secretWords)))
		_, opened := w.signIn(t, "boss@test.example")
		w.now = w.now.Add(24*time.Hour - time.Second)
		must(t, w.sessionOf(opened.Token))
		w.now = w.now.Add(time.Second)
		if err := w.sessionOf(opened.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("its session after a day: %v", err)
		}
		if err := p.try(t, client("203.0.113.7"), "boss@test.example", secretWords); !refusedAs(err, "no_passwords") {
			t.Errorf("the password after a day: %v", err)
		}
	})
}

// TestProofAtProvider: a session proves that its user is there by a sign-in at the provider that was asked for anew, as the same
// person, once. Its first sign-in is a proof when it was lately.
func TestProofAtProvider(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		p.be(ada())
		out, err := p.enter(t)
		s := p.opened(t, out, err)
		must(t, w.mintAs(s.Caller))
		w.now = w.now.Add(time.Minute * 4)
		prove := func(person openidtest.Person, b openidtest.Behavior) (string, error) {
			b.Person = person
			p.provider.Be(b)
			began, err := p.BeginSignIn(t.Context(), p.org, tracker.SignInPurpose{Purpose: tracker.ToProve,
				Next: "/"}, &s)
			must(t, err)
			out, err := p.FinishAtProvider(t.Context(), client("203.0.113.9"), tracker.Returned{OrgID: p.org,
				Cookie: began.Cookie,
				Answer: answerOf(p.provider.Enter(t, began.Location)), Session: &s})
			return out.Sealed, err
		}
		use := func(sealed string) (tracker.NewSession, error) {
			return carryOut(t.Context(), s.Caller, p.ProveAtProvider,
				api.ProveAtProvider{Body: api.ProviderConfirmation{Sealed: sealed}})
		}
		old := openidtest.Changed(map[string]any{"auth_time": w.now.Add(-time.Hour).Unix()})
		if _, err := prove(ada(), openidtest.Behavior{Claims: old}); !refusedAs(err, "not_fresh") {
			t.Errorf("an old sign-in: %v", err)
		}
		bo := ada()
		bo.Subject = "bo-1"
		sealed, err := prove(bo, openidtest.Behavior{})
		must(t, err)
		if _, err := use(sealed); !refusedAs(err, "other") {
			t.Errorf("somebody else at the provider: %v", err)
		}
		sealed, err = prove(ada(), openidtest.Behavior{})
		must(t, err)
		if err := second(carryOut(t.Context(), s.Caller, p.LinkIdentity,
			api.LinkIdentity{Body: api.ProviderConfirmation{Sealed: sealed}})); !refusedAs(err, "expired") {
			t.Errorf("a proof as a link: %v", err)
		}
		rotated, err := use(sealed)
		must(t, err)
		s, err = p.Session(t.Context(), client("203.0.113.9"), rotated.Token)
		must(t, err)
		if _, err := use(sealed); !refusedAs(err, "expired") {
			t.Errorf("a proof a second time: %v", err)
		}
	})
}
