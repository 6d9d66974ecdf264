package web

import (
	"html"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/factor/factortest"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/tracker"
)

// ofFactors are the operations that need a proof, and a factor that the user has or makes.
var ofFactors = []string{api.OpConfirmAuthenticator, api.OpRemoveAuthenticator, api.OpBeginPasskey, api.OpAddPasskey,
	api.OpRemovePasskey, api.OpReplaceRecoveryCodes, api.OpRemovePassword}

// passkeyWorld returns a world at an address where browsers make passkeys.
func passkeyWorld(t testing.TB) *world {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	w := newWorld(t, table, nil)
	at := "http://localhost:" + server.Listener.Addr().String()[len("127.0.0.1:"):]
	w.Tracker, _ = tracker.New(tracker.Options{Store: access.Seal(w.store), Secrets: w.secrets,
		Passwords: passwordtest.Weak(), BaseURL: at, Now: w.clock.now, Blobs: w.storage})
	w.serveAt(t, server, table, func(o *Options) { o.BaseURL = at })
	w.url = at
	return w
}

// field returns the value of a hidden field of an answer.
func (a answer) field(name string) string {
	a.t.Helper()
	m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(a.body)
	if m == nil {
		a.t.Fatalf("no field %s in %s", name, a.body)
	}
	return html.UnescapeString(m[1])
}

// question returns the question for a passkey of an answer.
func (a answer) question() string {
	a.t.Helper()
	m := regexp.MustCompile(`data-passkey="([^"]*)"`).FindStringSubmatch(a.body)
	if m == nil {
		a.t.Fatalf("no question in %s", a.body)
	}
	return html.UnescapeString(m[1])
}

// newPasskey returns a passkey in software for a world.
func (w *world) newPasskey() *factortest.Passkey {
	k := factortest.New("localhost")
	k.Origin = w.url
	return k
}

// addApp sets an authenticator app up by the pages, and returns its key and the recovery codes.
func (b *browser) addApp() (key string, codes []string) {
	b.t.Helper()
	shown := b.get("/settings/security/authenticator").wants(200, "QR code")
	key = strings.ReplaceAll(regexp.MustCompile(`id="key"[^>]*>([A-Z2-7 ]+)<`).FindStringSubmatch(shown.body)[1], " ",
		"")
	state := shown.field("state")
	b.post("/settings/security/authenticator", "state", state, "code", "000000").
		wants(422, "this is not the code that the app shows now", "QR code")
	made := b.post("/settings/security/authenticator", "state", state, "code", b.w.code(b.t, key)).wants(200,
		"Recovery codes")
	return key, regexp.MustCompile(`[a-z2-9]{4}(?:-[a-z2-9]{4}){3}`).FindAllString(made.body, -1)
}

// code returns the code of an app half a minute later.
func (w *world) code(t testing.TB, key string) string {
	t.Helper()
	w.clock.add(30 * time.Second)
	text, err := factor.CodeAt(key, factor.Step(w.clock.now()))
	must(t, err)
	return text
}

// TestSecondFactorPages: whoever has an authenticator app signs in with the password and a code, and is then where the
// link led; between both nothing opens. A link for a password does not replace the code.
func TestSecondFactorPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	key, codes := w.signedIn(t, owner).addApp()
	if len(codes) != 10 {
		t.Fatalf("%d codes", len(codes))
	}
	b := w.browser(t)
	second := "/login/second?next=" + url.QueryEscape("/settings/keys")
	b.get("/login?next=/settings/keys").wants(200, "E-mail")
	b.post("/login", "email", owner, "password", password, "next", "/settings/keys").leadsTo(second)
	b.get("/settings/keys").leadsTo("/login?next=%2Fsettings%2Fkeys")
	b.get(second).wants(200, "authenticator app", `name="proof-code"`)
	b.post("/login/second", "proof-code", "000000", "next", "/settings/keys").wants(422,
		"That is wrong, or was used before")
	b.post("/login/second", "proof-code", w.code(t, key), "next", "/settings/keys").leadsTo("/settings/keys")
	b.get("/settings/keys").wants(200)
	b.get(second).leadsTo("/settings/keys")

	asked := w.browser(t)
	asked.header.Set("Sec-Fetch-Dest", "empty") // the dialog of a page whose session has ended
	asked.post("/login", "email", owner, "password", password).leadsTo("/login/second?next=%2F")
	asked.get("/login/second").wants(200, "open Bugslice in another tab")

	link, err := w.operator.NewResetLink(t.Context(), w.users[owner])
	must(t, err)
	b = w.browser(t)
	b.post("/reset/"+link, "password", "another password").leadsTo("/login/second?next=%2F")
	b.get("/my").leadsTo("/login?next=%2Fmy")
	b.post("/login/second", "proof-code", codes[0]).leadsTo("/")
	b.get("/settings/security").wants(200, "9 of 10 left")
	b = w.browser(t)
	b.post("/login", "email", owner, "password", "another password").leadsTo("/login/second?next=%2F")
	for range 4 {
		b.post("/login/second", "proof-code", "000000").wants(422)
	}
	b.post("/login/second", "proof-code", "000000").leadsTo("/login")
	b.post("/login/second", "proof-code", w.code(t, key)).leadsTo("/login")
	b.get("/login").wants(200, "Sign in again.")
}

// TestPasskeyPages: a passkey is made, signs in alone and as a second factor, confirms a change, and is removed.
func TestPasskeyPages(t *testing.T) {
	t.Parallel()
	w := passkeyWorld(t)
	b, k := w.signedIn(t, owner), w.newPasskey()
	form := b.get("/settings/security/passkeys").wants(200, "data-create")
	b.post("/settings/security/passkeys", "name", "Phone", "proof-state", form.field("proof-state"), "proof-answer",
		"").
		wants(422, "The passkey was not created")
	b.post("/settings/security/passkeys", "name", "Phone", "proof-state", form.field("proof-state"),
		"proof-answer", k.Create(form.question())).wants(200, "Recovery codes")
	b.get("/settings/security").wants(200, "Phone", "10 of 10 left")
	rename := "/settings/security/passkeys/" + regexp.MustCompile(`psk_\w+`).FindString(b.get("/settings/security").body)
	b.get(rename).wants(200, "Rename a passkey", `value="Phone"`)
	b.post(rename, "name", " ").wants(422, `name="name"`)
	w.signedIn(t, member).post(rename, "name", "Mine").wants(404)
	b.post(rename, "name", "<Telephone>").leadsTo("/settings/security")
	b.get("/settings/security").wants(200, "The passkey has another name.", "&lt;Telephone&gt;")
	b.get("/settings/audit").wants(200, "Passkey renamed")

	b = w.browser(t)
	login := b.get("/login?next=/settings/keys").wants(200, "Sign in with a passkey",
		`autocomplete="username webauthn"`)
	answer := []string{"next", "/settings/keys", "proof-state", login.field("proof-state"), "proof-answer",
		k.Answer(login.question())}
	w.browser(t).post("/login/passkey", answer...).wants(422, "could not be signed in with this passkey")
	b.post("/login/passkey", answer...).leadsTo("/settings/keys")
	b.get("/settings/keys").wants(200)
	b.post("/login/passkey", answer...).wants(422)

	b = w.browser(t)
	b.post("/login", "email", owner, "password", password).leadsTo("/login/second?next=%2F")
	second := b.get("/login/second").wants(200, "Use a passkey")
	b.post("/login/second", "proof-state", second.field("proof-state"), "proof-answer",
		k.Answer(second.question())).leadsTo("/")

	w.clock.add(16 * time.Minute)
	asked := b.post("/settings/security/password/remove").wants(403, "Remove your password", "Use a passkey",
		"Password")
	b.post("/settings/security/password/remove", "password", "", "proof-state", asked.field("proof-state"),
		"proof-answer", k.Answer(asked.question())).leadsTo("/settings/security")
	b.get("/settings/security").wants(200, "You have no password", "Set password")
	id := regexp.MustCompile(`psk_\w+`).FindString(b.get("/settings/security").body)
	b.post("/settings/security/passkeys/"+id+"/remove").wants(409, "nobody could sign in to your account then")
	w.clock.add(16 * time.Minute)
	b.post("/settings/security/password", "newPassword", "another password").wants(403, "Set a password",
		`name="proof-code"`)
}

// TestFactorsAreProved: each change of factors asks who the user is when the last proof is old, and says what it does.
func TestFactorsAreProved(t *testing.T) {
	t.Parallel()
	w := passkeyWorld(t)
	b, k := w.signedIn(t, owner), w.newPasskey()
	form := b.get("/settings/security/passkeys")
	b.post("/settings/security/passkeys", "name", "Phone", "proof-state", form.field("proof-state"),
		"proof-answer", k.Create(form.question())).wants(200)
	key, _ := b.addSecondApp()
	id := regexp.MustCompile(`psk_\w+`).FindString(b.get("/settings/security").body)
	for _, c := range []struct {
		path   string
		fields []string
		says   string
		status int
	}{
		{"/settings/security/authenticator", []string{"state", key, "code", "000000"}, "Set up an authenticator app",
			404},
		{"/settings/security/passkeys", []string{"name", "Tablet", "proof-state", "x"},
			"Add a passkey to your account", 200},
		{"/settings/security/codes", nil, "Replace your recovery codes", 200},
		{"/settings/security/authenticator/remove", nil, "Remove your authenticator app", 303},
		{"/settings/security/passkeys/" + id + "/remove", nil, "Remove a passkey of your account", 303},
	} {
		w.clock.add(16 * time.Minute)
		if c.status != 404 && !strings.HasSuffix(c.path, "/passkeys") { // an answer is wrong before it is too late
			b.post(c.path, c.fields...).wants(403, c.says)
		}
		b.post(c.path, append(c.fields[:len(c.fields):len(c.fields)], "password", password)...).wants(c.status)
	}
	b.get("/settings/security").wants(200, "A password alone can be stolen")
}

// addSecondApp sets an app up beside another factor, whose codes stay.
func (b *browser) addSecondApp() (state, key string) {
	b.t.Helper()
	shown := b.get("/settings/security/authenticator").wants(200, "QR code")
	key = strings.ReplaceAll(regexp.MustCompile(`id="key"[^>]*>([A-Z2-7 ]+)<`).FindStringSubmatch(shown.body)[1], " ",
		"")
	b.post("/settings/security/authenticator", "state", shown.field("state"), "code", b.w.code(b.t, key)).
		leadsTo("/settings/security")
	return "x", key
}

// TestRequiredFactorPages: when an organisation requires a second factor, whoever has none is led to the page that sets
// one up, with an open session as with a new one, and nothing else opens before. Keys go on working.
func TestRequiredFactorPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, other := w.signedIn(t, owner), w.signedIn(t, member)
	policies := []string{"secondFactor", "on", "personalKeyScopes", "slices:read", "step", "save"}
	b.get("/settings/policies").wants(200, "have no second factor", "API keys go on working")
	b.post("/settings/policies", policies...).wants(422, "set up a second factor for yourself first")
	b.addApp()
	b.post("/settings/policies", policies[:4]...).wants(200, "set up a second factor first", "Jonas Weber")
	b.post("/settings/policies", policies...).leadsTo("/settings/policies")
	b.get("/settings/policies").wants(200, "The policies are saved.", `name="secondFactor" checked`)
	_, err := w.Authenticate(t.Context(), w.tokens[owner])
	must(t, err)
	fresh := w.signedIn(t, member)
	for _, browser := range []*browser{other, fresh} {
		for _, path := range []string{"/my", "/reports", "/WEB-160", "/settings/keys", "/settings/people", "/inbox",
			"/live", "/device?code=BCDF-GHJK", "/oauth/authorize?client_id=x&response_type=code"} {
			browser.get(path).leadsTo("/settings/security")
		}
		browser.post("/settings/security/sessions/end").leadsTo("/settings/security")
		browser.get("/settings/security").wants(200, "nothing else opens before", "Sign out").lacks("Sessions",
			"New password")
	}
	fresh.addApp()
	fresh.get("/reports?workspace=WEB").wants(200)
	other.get("/reports?workspace=WEB").leadsTo("/login?next=%2Freports%3Fworkspace%3DWEB")
}
