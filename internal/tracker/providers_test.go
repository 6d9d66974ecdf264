package tracker_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/openid"
	"bugslice/internal/openid/openidtest"
	"bugslice/internal/operator"
	"bugslice/internal/safehttp"
	"bugslice/internal/secret"
	"bugslice/internal/tracker"
)

// providerWorld is a world whose organisation signs in at a provider.
type providerWorld struct {
	*world
	provider *openidtest.Provider
	org      string
	owner    tracker.Session // linked with the subject "owner"
}

// local are the addresses of providers of tests.
func local(t testing.TB) *safehttp.Policy {
	t.Helper()
	p, err := safehttp.NewPolicy([]string{"127.0.0.1"})
	must(t, err)
	return p
}

func newProviderWorld(t *testing.T, w *world) *providerWorld {
	t.Helper()
	w.with(t, func(o *tracker.Options) { o.OpenID = local(t) })
	p := &providerWorld{world: w, org: w.owner.Organization.ID}
	p.provider = openidtest.New(t, func() time.Time { return w.now })
	p.owner = w.colleague(t, "boss@test.example", api.RoleOwner, api.RoleAdmin)
	must(t, p.configure(t, func(*api.ProviderFields) {}))
	return p
}

// configure stores the settings of the provider, which change may change.
func (p *providerWorld) configure(t *testing.T, change func(*api.ProviderFields)) error {
	t.Helper()
	f := api.ProviderFields{Name: "Acme", Issuer: p.provider.URL, ClientID: openidtest.ClientID,
		ClientSecret: openidtest.ClientSecret,
		Domains:      []string{"acme.example"}, GroupsClaim: "groups"}
	change(&f)
	return second(p.UpdateProvider(t.Context(), p.proved(t).Caller, valid(api.UpdateProvider{Body: f})))
}

// proved returns the session of the owner with a recent proof.
func (p *providerWorld) proved(t *testing.T) tracker.Session {
	t.Helper()
	opened, err := p.ProvePassword(t.Context(), client("203.0.113.7"), p.owner, secretWords)
	if code(err) == api.CodeUnauthorized { // it has expired
		p.owner, _ = p.signIn(t, "boss@test.example")
		return p.owner
	}
	must(t, err)
	p.owner, err = p.Session(t.Context(), client("203.0.113.7"), opened.Token)
	must(t, err)
	return p.owner
}

// answerOf is the query with which a browser returns.
func answerOf(q url.Values) openid.Answer {
	return openid.Answer{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}
}

// enter signs in at the provider as the person that it has chosen.
func (p *providerWorld) enter(t *testing.T) (tracker.SignInOutcome, error) {
	t.Helper()
	return p.enterBy(t, "")
}

// enterBy is enter with the secret of the link of an invitation, from whose page it begins.
func (p *providerWorld) enterBy(t *testing.T, invitation string) (tracker.SignInOutcome, error) {
	t.Helper()
	b, err := p.BeginSignIn(t.Context(), p.org, tracker.SignInPurpose{Purpose: tracker.ToSignIn, Next: "/reports",
		Invitation: invitation}, nil)
	if err != nil {
		return tracker.SignInOutcome{}, err
	}
	return p.FinishAtProvider(t.Context(), client("203.0.113.9"), tracker.Returned{OrgID: p.org, Cookie: b.Cookie,
		Answer: answerOf(p.provider.Enter(t, b.Location))})
}

// opened returns the session that an outcome has opened.
func (p *providerWorld) opened(t *testing.T, out tracker.SignInOutcome, err error) tracker.Session {
	t.Helper()
	must(t, err)
	if out.Session == nil {
		t.Fatalf("no session was opened: %+v", out)
	}
	s, err := p.Session(t.Context(), client("203.0.113.9"), out.Session.Token)
	must(t, err)
	return s
}

func refusedAs(err error, reason string) bool {
	return tracker.HasFault(err, tracker.FaultSignIn+reason)
}

func ada() openidtest.Person {
	return openidtest.Person{Subject: "ada-1", Email: "ada@acme.example", Name: "Ada", SID: "session-of-ada"}
}

// be makes the provider sign in a person.
func (p *providerWorld) be(who openidtest.Person) { p.provider.Be(openidtest.Behavior{Person: who}) }

// TestFirstSignIn: a person joins by an invitation to the verified address, with its roles, or by a domain as a member of
// no workspace, and is the same account ever after, whatever address the provider says then. Nobody else joins.
func TestFirstSignIn(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		p.be(ada())
		out, err := p.enter(t)
		joined := p.opened(t, out, err)
		if joined.Role != api.RoleMember || joined.Profile.Name != "Ada" || out.Next != "/reports" {
			t.Errorf("joined by a domain: %+v, then %s", joined, out.Next)
		}
		moved := ada()
		moved.Email, moved.Unverified = "other@elsewhere.example", true
		p.be(moved)
		out, err = p.enter(t)
		if again := p.opened(t, out,
			err); again.Caller.ID != joined.Caller.ID || again.Profile.Email != "ada@acme.example" {
			t.Errorf("with another address: %+v", again)
		}

		invited := openidtest.Person{Subject: "bo-1", Email: "Bo@Elsewhere.Example", Name: "Bo"}
		p.be(invited)
		if _, err := p.enter(t); !refusedAs(err, "uninvited") {
			t.Errorf("without an invitation: %v", err)
		}
		in := invitationTo("bo@elsewhere.example", p.workspace)
		in.Body.Role, in.Body.WorkspaceRole = api.RoleAdmin, api.RoleAdmin
		must(t, second(w.InviteUser(t.Context(), p.proved(t), in)))
		out, err = p.enter(t)
		bo := p.opened(t, out, err)
		workspaces, err := p.MyWorkspaces(t.Context(), bo.Caller)
		must(t, err)
		if bo.Role != api.RoleAdmin || len(workspaces) != 1 || workspaces[0].Role != api.RoleAdmin {
			t.Errorf("by an invitation: %+v in %+v", bo, workspaces)
		}
		listed, err := w.ListPeople(t.Context(), p.owner)
		must(t, err)
		if len(listed.Invitations) != 0 {
			t.Errorf("the invitation is still there: %+v", listed.Invitations)
		}
		if err := p.try(t, client("203.0.113.1"), "ada@acme.example", ""); code(err) != api.CodeUnauthorized {
			t.Errorf("an account without a password: %v", err)
		}
	})
}

// TestSignInAttacks: an answer that is not what the provider of the organisation says now to this browser opens
// nothing.
func TestSignInAttacks(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		other := openidtest.New(t, func() time.Time { return w.now })
		claims := func(members map[string]any) openidtest.Behavior {
			return openidtest.Behavior{Person: ada(), Claims: openidtest.Changed(members)}
		}
		answer := func(name string, values ...string) openidtest.Behavior {
			return openidtest.Behavior{Person: ada(), Answer: func(q url.Values) { q[name] = values }}
		}
		attacks := map[string]struct {
			behavior openidtest.Behavior
			reason   string
		}{
			"a code of another issuer (mix-up)": {answer("iss", other.URL), "provider"},
			"no issuer where there always is":   {answer("iss"), "provider"},
			"another state":                     {answer("state", "x"), "provider"},
			"no code":                           {answer("code"), "provider"},
			"a refusal":                         {answer("error", "access_denied"), "provider"},
			"a code that was made up":           {answer("code", "x"), "provider"},
			"another nonce":                     {claims(map[string]any{"nonce": "x"}), "provider"},
			"no nonce":                          {claims(map[string]any{"nonce": nil}), "provider"},
			"another issuer":                    {claims(map[string]any{"iss": other.URL}), "provider"},
			"another audience":                  {claims(map[string]any{"aud": "other"}), "provider"},
			"two audiences": {claims(map[string]any{"aud": []string{openidtest.ClientID,
				"other"}}), "provider"},
			"for another client": {claims(map[string]any{"azp": "other"}), "provider"},
			"expired": {claims(map[string]any{"exp": w.now.Add(-time.Minute).Unix()}),
				"provider"},
			"of the future": {claims(map[string]any{"iat": w.now.Add(time.Hour).Unix()}),
				"provider"},
			"no subject":                 {claims(map[string]any{"sub": nil}), "provider"},
			"a long subject":             {claims(map[string]any{"sub": strings.Repeat("x", 256)}), "provider"},
			"a subject with a zero byte": {claims(map[string]any{"sub": "a\x00b"}), "provider"},
			"of another access token": {claims(map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}),
				"provider"},
			"an address that is not verified": {claims(map[string]any{"email_verified": false}), "unverified"},
			"no word about the address": {openidtest.Behavior{Person: ada(),
				Claims: openidtest.Changed(map[string]any{"email_verified": nil})},
				"unverified"},
			"an address that looks like another": {claims(map[string]any{"email": "\u212aada@acme.example"}),
				"unverified"},
			"a domain that ends like ours": {claims(map[string]any{"email": "ada@notacme.example"}), "uninvited"},
			"userinfo of another person": {openidtest.Behavior{Person: ada(),
				Claims:   openidtest.Changed(map[string]any{"email": nil}),
				UserInfo: openidtest.Changed(map[string]any{"sub": "mallory"})}, "provider"},
			"no algorithm": {openidtest.Behavior{Person: ada(),
				Sign: func(c []byte) string { return openidtest.Unsigned("none", c, nil) }},
				"provider"},
			"a key of another provider": {openidtest.Behavior{Person: ada(), Sign: other.Sign}, "provider"},
			"signed with the client's secret": {openidtest.Behavior{Person: ada(), Sign: func(c []byte) string {
				return openidtest.Unsigned("HS256", c, openidtest.MAC)
			}}, "provider"},
			"signed with the public key": {openidtest.Behavior{Person: ada(), Sign: func(c []byte) string {
				return openidtest.Unsigned("HS256", c, p.provider.PublicMAC)
			}}, "provider"},
		}
		for what, a := range attacks {
			p.provider.Be(a.behavior)
			out, err := p.enter(t)
			if !refusedAs(err, a.reason) || out.Session != nil || out.Sealed != "" {
				t.Errorf("%s: %v, %+v", what, err, out)
			}
		}
		p.be(ada()) // nothing but the attack was in the way
		out, err := p.enter(t)
		p.opened(t, out, err)
	})
}

// TestAnswersWorkOnce: an answer works once, in the browser that has begun, at the organisation that it was begun for, and
// within ten minutes.
func TestAnswersWorkOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		p.be(ada())
		begin := func() (tracker.BeganSignIn, openid.Answer) {
			b, err := p.BeginSignIn(t.Context(), p.org, tracker.SignInPurpose{Purpose: tracker.ToSignIn, Next: "/"},
				nil)
			must(t, err)
			return b, answerOf(p.provider.Enter(t, b.Location))
		}
		finish := func(cookie string, a openid.Answer) error {
			return second(p.FinishAtProvider(t.Context(), client("203.0.113.9"), tracker.Returned{OrgID: p.org,
				Cookie: cookie, Answer: a}))
		}
		mine, answer := begin()
		theirs, _ := begin()
		for what, cookie := range map[string]string{"no cookie": "", "that of another browser": theirs.Cookie,
			"another text": "x"} {
			if err := finish(cookie, answer); !refusedAs(err, "expired") && !refusedAs(err, "provider") {
				t.Errorf("%s: %v", what, err)
			}
		}
		must(t, finish(mine.Cookie, answer))
		if err := finish(mine.Cookie, answer); !refusedAs(err, "expired") {
			t.Errorf("a second time: %v", err)
		}
		late, answer := begin()
		w.now = w.now.Add(10 * time.Minute)
		if err := finish(late.Cookie, answer); !refusedAs(err, "expired") {
			t.Errorf("late: %v", err)
		}
	})
}

// TestAccountsAreLinkedByTwoProofs: an account with the address of a person is opened after its password was proved as well,
// once, and by nobody else with that address.
func TestAccountsAreLinkedByTwoProofs(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		u := w.colleague(t, "ada@acme.example", api.RoleMember, api.RoleMember)
		p.be(ada())
		out, err := p.enter(t)
		must(t, err)
		if out.Session != nil || out.Sealed == "" {
			t.Fatalf("an account was opened by its address: %+v", out)
		}
		link := func(sealed, password string) (tracker.NewSession, error) {
			return p.LinkSignIn(t.Context(), client("203.0.113.9"), p.org, sealed, password)
		}
		if _, err := link(out.Sealed, "wrong password"); code(err) != api.CodeUnauthorized {
			t.Errorf("a wrong password: %v", err)
		}
		if _, err := link("x"+out.Sealed, secretWords); !refusedAs(err, "expired") {
			t.Errorf("another text: %v", err)
		}
		opened, err := link(out.Sealed, secretWords)
		must(t, err)
		s, err := p.Session(t.Context(), client("203.0.113.9"), opened.Token)
		must(t, err)
		if s.Caller.ID != u.Caller.ID {
			t.Errorf("another account was opened")
		}
		out, err = p.enter(t)
		if again := p.opened(t, out, err); again.Caller.ID != u.Caller.ID {
			t.Errorf("another account was opened the second time")
		}

		mallory := ada()
		mallory.Subject = "mallory"
		p.be(mallory)
		swapped, err := p.enter(t)
		must(t, err)
		if swapped.Session != nil {
			t.Fatal("another subject with the address opened the account")
		}
		if _, err := link(swapped.Sealed, secretWords); !refusedAs(err, "linked") {
			t.Errorf("another subject with the password: %v", err)
		}
	})
}

// TestAddressesOfOtherOrganisations: a provider learns nothing about accounts of other organisations, and opens none.
func TestAddressesOfOtherOrganisations(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		must(t, second(w.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Elsewhere", Workspace: "There",
			Owner: operator.NewUser{Email: "stranger@roles.example", Password: secretWords}})))
		must(t, p.configure(t, func(f *api.ProviderFields) { f.Domains = []string{"roles.example"} }))
		p.be(openidtest.Person{Subject: "s", Email: "stranger@roles.example"})
		out, err := p.enter(t)
		if !refusedAs(err, "uninvited") || out.Sealed != "" {
			t.Errorf("an account of another organisation: %v %+v", err, out)
		}
	})
}

// TestProvidersAreAsked: a provider that lies in its document, is slow, large or private is refused in words that an admin
// understands. A new key is found.
func TestProvidersAreAsked(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		document := func(members map[string]any) openidtest.Behavior {
			return openidtest.Behavior{Document: openidtest.Changed(members)}
		}
		faulty := map[string]struct {
			behavior openidtest.Behavior
			words    string
		}{
			"another issuer":    {document(map[string]any{"issuer": "https://other.example"}), "did not match"},
			"no token endpoint": {document(map[string]any{"token_endpoint": nil}), "token_endpoint"},
			"no PKCE": {document(map[string]any{"code_challenge_methods_supported": []string{"plain"}}),
				"PKCE"},
			"keys of the metadata": {document(map[string]any{"jwks_uri": "http://169.254.169.254/keys"}),
				"not allowed"},
			"a script": {document(map[string]any{"authorization_endpoint": "javascript:alert(1)"}), "not allowed"},
			"a private network": {document(map[string]any{"token_endpoint": "http://10.0.0.1/token"}),
				"not allowed"},
			"no JSON":            {openidtest.Behavior{Raw: openidtest.Text("hello")}, "decode"},
			"a large document":   {openidtest.Behavior{Raw: openidtest.Text(strings.Repeat(" ", 300<<10))}, "256 KiB"},
			"a redirect":         {openidtest.Behavior{Raw: openidtest.Redirect("http://169.254.169.254/")}, "302"},
			"keys that are gone": {document(map[string]any{"jwks_uri": p.provider.URL + "/gone"}), "404"},
		}
		check := func() api.ProviderReport {
			report, err := p.CheckProvider(t.Context(), p.owner.Caller, valid(api.CheckProvider{}))
			must(t, err)
			return report
		}
		for what, f := range faulty {
			p.provider.Be(f.behavior)
			if report := check(); !strings.Contains(report.Problem, f.words) {
				t.Errorf("%s: %q", what, report.Problem)
			}
		}
		p.be(ada())
		if report := check(); report.Problem != "" || !report.BackChannel || report.NoRefresh {
			t.Errorf("a provider as it should be: %+v", report)
		}
		p.provider.Rotate()
		out, err := p.enter(t)
		p.opened(t, out, err)
		for _, issuer := range []string{"http://169.254.169.254", "https://10.0.0.1", "http://acme.example",
			"ftp://acme.example", "x"} {
			err := p.configure(t, func(f *api.ProviderFields) { f.Issuer = issuer })
			if code(err) != api.CodeInvalidBody {
				t.Errorf("the issuer %s: %v", issuer, err)
			}
		}
	})
}

// TestSecretsOutliveTheMasterSecret: the client secret of an organisation and the key of an authenticator app are stored
// encrypted, and work when the master secret was replaced and they were encrypted anew.
func TestSecretsOutliveTheMasterSecret(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		h := w.holderOf(t, "ada@acme.example")
		h.addAuthenticator(t)
		stored := func() (all []string) {
			sealed, err := w.store.Read(t.Context()).Sealed().All(api.At(w.now))
			must(t, err)
			for _, s := range sealed {
				if strings.Contains(s.Sealed, openidtest.ClientSecret) || strings.Contains(s.Sealed, h.key) {
					t.Errorf("a secret is stored as it is: %+v", s)
				}
				all = append(all, string(s.Kind)+" "+s.Sealed)
			}
			return all
		}
		former := stored()
		rekey := func(keys string) {
			ring, err := secret.Parse(keys)
			must(t, err)
			w.with(t, func(o *tracker.Options) { o.OpenID, o.Secrets = local(t), ring })
		}
		rekey(strings.Repeat("cd", 32) + "," + strings.Repeat("ab", 32))
		n, err := w.ResealSecrets(t.Context())
		must(t, err)
		isFormer := func(s string) bool { return slices.Contains(former, s) }
		if now := stored(); n != 2 || len(now) != 2 || slices.ContainsFunc(now, isFormer) {
			t.Fatalf("%d were encrypted anew: %q, before %q", n, now, former)
		}
		rekey(strings.Repeat("cd", 32))
		p.be(ada())
		out, err := p.enter(t)
		must(t, err)
		var waits *tracker.SecondFactorError
		from := client("203.0.113.9")
		if _, err = p.LinkSignIn(t.Context(), from, p.org, out.Sealed, secretWords); !errors.As(err, &waits) {
			t.Fatal(err)
		}
		from.Step = waits.Step
		must(t, second(w.FinishSignIn(t.Context(), from, api.Proof{Code: h.code(t)})))

		rekey(strings.Repeat("ef", 32))
		replaced, err := w.ReplaceLostSecrets(t.Context())
		must(t, err)
		want := tracker.ReplacedSecrets{Users: []string{h.userID}, Organizations: []string{p.org}}
		assert.Equal(t, "replaced", replaced, want)
		assert.Equal(t, "left", len(stored()), 0)
		told := w.auditedTypes(t) // the newest first
		at := slices.Index(told, string(api.EventProviderUpdated))
		assert.Equal(t, "the event before it", told[at+1], string(api.EventFactorRemoved))
	})
}
