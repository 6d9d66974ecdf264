package web

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/openid/openidtest"
	"bugslice/internal/store/identities"
)

// atProvider is a world whose organisation signs in at a provider.
type atProvider struct {
	*world

	provider *openidtest.Provider
}

func newAtProvider(t *testing.T) atProvider {
	t.Helper()
	w := newWorld(t, table, nil)
	p := openidtest.New(t, w.clock.now)
	w.signedIn(t, owner).post("/settings/sign-in", "version", "0", "name", "Acme ID", "issuer", p.URL, "clientId",
		openidtest.ClientID,
		"clientSecret", openidtest.ClientSecret, "domains", "northwind.example\nacme.example", "groupsClaim",
		"groups",
		"rules", "leads = WEB admin\n* = web member").wants(303)
	return atProvider{w, p}
}

// enter follows a path to the provider and returns the answer to the browser that returns.
func (w atProvider) enter(b *browser, path string) answer {
	b.t.Helper()
	started := b.get(path).wants(303)
	q := w.provider.Enter(b.t, started.header.Get("Location"))
	return b.get("/login/" + w.org.ID + "/callback?" + q.Encode())
}

func hidden(t testing.TB, body, name string) string {
	t.Helper()
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no field %s in %s", name, body)
	}
	return html.UnescapeString(found[1])
}

// TestSignInAtProvider: the page to sign in has a button of the provider, which leads there with a cookie of this browser, and back
// to the page that was asked for, as a member of what the rules say. A browser that has not begun gets nothing. Whoever signs out
// can sign out there, too.
func TestSignInAtProvider(t *testing.T) {
	t.Parallel()
	w := newAtProvider(t)
	w.provider.Be(openidtest.Behavior{Person: openidtest.Person{Subject: "ada", Email: "ada@acme.example",
		Name: "Ada <b>"}})
	b := w.browser(t)
	start := "/login/" + w.org.ID + "?next=%2freports%3fworkspace%3dWEB"
	b.get("/login?next=%2Freports%3Fworkspace%3DWEB").wants(200,
		`href="`+start+`" hx-boost="false"><span>Sign in with <bdi>Acme ID</bdi>`)

	location := b.get(start).wants(303).header.Get("Location")
	asked, err := url.Parse(location)
	must(t, err)
	q := asked.Query()
	if q.Get("redirect_uri") != "http://test/login/"+w.org.ID+"/callback" || q.Get("code_challenge_method") != "S256" ||
		q.Get("response_type") != "code" || q.Get("scope") != "openid email profile offline_access groups" || len(q.Get("nonce")) < 20 {
		t.Errorf("%s", location)
	}
	returns := "/login/" + w.org.ID + "/callback?" + w.provider.Enter(t, location).Encode()
	w.browser(t).get(returns).wants(403, "begun too long ago, in another browser")
	if to := b.get(returns).wants(303).header.Get("Location"); to != "/reports?workspace=WEB" {
		t.Errorf("leads to %s", to)
	}
	b.get("/reports?workspace=WEB").wants(200, "Ada &lt;b&gt;")
	b.get(returns).wants(403)
	b.get("/settings/security").wants(200, "Your account is linked with <bdi>ada@acme.example</bdi>")
	b.get("/settings/sign-in").wants(403)

	if to := b.post("/logout").wants(303).header.Get("Location"); to != "/login?ended="+w.org.ID {
		t.Errorf("signing out leads to %s", to)
	}
	b.get("/login?ended="+w.org.ID).wants(200, "Sign out there, too")
	if to := b.get("/login/" + w.org.ID + "/end").wants(303).header.Get("Location"); !strings.HasPrefix(to,
		w.provider.URL+"/end?") {
		t.Errorf("the end of the provider's session is at %s", to)
	}
	for _, next := range []string{"https://evil.example", "//evil.example", "/login/" + w.org.ID} {
		if to := w.enter(w.browser(t),
			"/login/"+w.org.ID+"?next="+url.QueryEscape(next)).wants(303).header.Get("Location"); to != "/" {
			t.Errorf("%s leads to %s", next, to)
		}
	}
}

// TestLinkAtProvider: an account with the address of the person is opened after its password was entered, and then
// without.
func TestLinkAtProvider(t *testing.T) {
	t.Parallel()
	w := newAtProvider(t)
	w.provider.Be(openidtest.Behavior{Person: openidtest.Person{Subject: "mara", Email: owner}})
	b := w.browser(t)
	asks := w.enter(b, "/login/"+w.org.ID+"?next=%2fmy").wants(200, "Prove your account", owner)
	fields := func(password string) []string {
		return []string{"sealed", hidden(t, asks.body, "sealed"), "next", "/my", "email", owner, "provider",
			"Acme ID", "password", password}
	}
	b.post("/login/"+w.org.ID+"/link", fields("wrong")...).wants(422, "The password is wrong.", hidden(t, asks.body,
		"sealed"))
	if to := b.post("/login/"+w.org.ID+"/link", fields(password)...).wants(303).header.Get("Location"); to != "/my" {
		t.Errorf("leads to %s", to)
	}
	b.get("/settings/profile").wants(200, owner)
	w.enter(w.browser(t), "/login/"+w.org.ID).wants(303)
}

// TestOwnerJoinsAtProvider: whoever is invited as an owner joins at the provider from the page of the invitation alone.
func TestOwnerJoinsAtProvider(t *testing.T) {
	t.Parallel()
	w := newAtProvider(t)
	w.provider.Be(openidtest.Behavior{Person: openidtest.Person{Subject: "heir", Email: "heir@northwind.example",
		Name: "Heir"}})
	made := w.signedIn(t, owner).post("/settings/people", "email", "heir@northwind.example", "role", "owner").wants(200)
	w.enter(w.browser(t), "/login/"+w.org.ID).wants(403, "Open the link of the invitation, and join from there.")
	b := w.browser(t)
	shown := b.get(linkIn(t, made.body)).wants(200, "Join with <bdi>Acme ID</bdi>")
	start := regexp.MustCompile(`href="(/login/[^"]*)"`).FindStringSubmatch(shown.body)
	w.enter(b, html.UnescapeString(start[1])).wants(303)
	b.get("/settings/people").wants(200, "Owner")
}

// TestOnlyAtProvider: an owner links the own account, switches passwords off, and proves at the provider that it is
// still the owner.
func TestOnlyAtProvider(t *testing.T) {
	t.Parallel()
	w := newAtProvider(t)
	w.provider.Be(openidtest.Behavior{Person: openidtest.Person{Subject: "mara", Email: owner, Name: "Mara"}})
	b := w.signedIn(t, owner)
	settings := func(off string) []string {
		return []string{"version", hidden(t, b.get("/settings/sign-in").wants(200).body, "version"), "name",
			"Acme ID", "issuer", w.provider.URL,
			"clientId", openidtest.ClientID, "passwordsOff", off}
	}
	b.post("/settings/sign-in", settings("true")...).wants(422, "link your own account first")
	b.post("/settings/sign-in", append(settings(""), "rules", "leads = NONE admin")...).wants(422,
		"there is no workspace with the key NONE")
	b.post("/settings/sign-in/check").wants(200, "The provider answers, and can be used.")
	w.clock.add(16 * time.Minute)
	asks := w.enter(b, "/login/"+w.org.ID+"?for=link&next=%2Fsettings%2Fsign-in").wants(200, "Link your account",
		"<code>mara</code>")
	sealed := hidden(t, asks.body, "sealed")
	b.post("/settings/security/provider", "sealed", sealed).wants(403,
		"Link your account with a person at the provider")
	if to := b.post("/settings/security/provider", "sealed", sealed, "password", password, "next",
		"/settings/sign-in").wants(303).header.Get("Location"); to != "/settings/sign-in" {
		t.Errorf("leads to %s", to)
	}
	b.post("/settings/sign-in", settings("true")...).wants(303)
	b.get("/my").wants(303) // the session began with a password

	b = w.browser(t)
	if strings.Contains(b.get("/login").wants(200, "Sign in with a password").body, `type="password"`) {
		t.Error("the page to sign in asks for a password")
	}
	b.post("/login", "email", owner, "password", password).wants(403, "signs in at its provider alone")
	w.enter(b, "/login/"+w.org.ID).wants(303)
	b.get("/settings/security").wants(200)
	b.post("/settings/people", "email", "new@acme.example", "role", "member", "workspaceRole", "member", "once",
		"1").wants(200)
	w.clock.add(16 * time.Minute)
	body := b.post("/settings/people", "email", "newer@acme.example", "role", "member", "workspaceRole", "member",
		"once", "2").
		wants(http.StatusForbidden, "Confirm at the provider").body
	if strings.Contains(body, `id="password"`) {
		t.Error("a proof of the password is asked for")
	}
	w.enter(b, "/login/"+w.org.ID+"?for=prove&next=%2Fsettings%2Fpeople%2Fnew").wants(303)
	b.post("/settings/people", "email", "newer@acme.example", "role", "member", "workspaceRole", "member", "once",
		"2").wants(200)

	w.provider.Be(openidtest.Behavior{EndsRefresh: true})
	w.clock.add(10 * time.Minute)
	b.get("/my").wants(303)
}

// TestBackChannel: a message of the provider's own, without a cookie and an origin, ends the session.
func TestBackChannel(t *testing.T) {
	t.Parallel()
	w := newAtProvider(t)
	w.provider.Be(openidtest.Behavior{Person: openidtest.Person{Subject: "ada", Email: "ada@acme.example",
		SID: "of-the-provider"}})
	b := w.browser(t)
	w.enter(b, "/login/"+w.org.ID).wants(303)
	b.get("/my").wants(200)
	machine := w.browser(t)
	machine.header = http.Header{}
	path := "/login/" + w.org.ID + "/back-channel"
	machine.post(path, "logout_token", "x").wants(400)
	machine.post(path, "logout_token", w.provider.LogoutToken("ada", "", nil)).wants(200)
	b.get("/my").wants(303)
}

// nameProvider gives the organisation of the records a provider, which does not answer.
func (w *world) nameProvider(t testing.TB, r *records, name func(string) string) {
	t.Helper()
	r.org = w.org.ID
	w.setProvider(t, identities.Provider{OrgID: w.org.ID, Name: name("Northwind ID"), Issuer: "https://127.0.0.1",
		ClientID: "bugslice",
		Domains:  []string{"northwind.example"}, GroupsClaim: "groups",
		Rules: []api.GroupRule{{Group: name("leads"), WorkspaceID: w.web, Role: api.RoleAdmin}}})
}
