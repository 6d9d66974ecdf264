package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"

	"bugslice/api"
	"bugslice/internal/browsertest"
	hasher "bugslice/internal/password"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.browser(t)
	b.get("/").leadsTo("/login?next=%2F")
	b.get("/settings/keys?cursor=1").leadsTo("/login?next=%2Fsettings%2Fkeys%3Fcursor%3D1")
	b.get("/login?next=%2Fsettings%2Fprofile").wants(200, `value="/settings/profile"`)

	wrong := b.post("/login", "email", owner, "password", "wrong", "next",
		"/settings/profile").wants(422, "The e-mail or the password is wrong.", owner)
	unknown := b.post("/login", "email", "who@northwind.example", "password", "wrong", "next", "/settings/profile").
		wants(422)
	if strings.ReplaceAll(wrong.body, owner, "") != strings.ReplaceAll(unknown.body, "who@northwind.example", "") {
		t.Error("the page tells whether an account exists")
	}
	if strings.Contains(wrong.body, "wrong\"") {
		t.Error("the page repeats the password")
	}
	in := b.post("/login", "email", owner, "password", password, "next", "/settings/profile").
		leadsTo("/settings/profile")
	cookies := strings.Join(in.header.Values("Set-Cookie"), "\n")
	if !regexp.MustCompile(`(?m)^bugslice=[\w-]{43}; Path=/; Max-Age=\d+; HttpOnly; SameSite=Lax$`).
		MatchString(cookies) {
		t.Errorf("cookies: %s", cookies)
	}
	b.get("/login?next=/settings/security").leadsTo("/settings/security")
	b.get("/settings/profile").wants(200, "Mara Lindqvist", "Northwind")
	b.post("/logout").leadsTo("/login")
	b.get("/login").wants(200, "You are signed out.")
	b.get("/settings/profile").leadsTo("/login?next=%2Fsettings%2Fprofile")
	b.post("/settings/profile", "name", "x").leadsTo("/login?next=%2F")
	b.get("/login").wants(200, "Your session has ended.")
}

func TestSignInRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.limit(t)
	a := w.browser(t).post("/login", "email", limited, "password", password).
		wants(429, "There were too many attempts.", limited)
	if a.header.Get("Retry-After") != "30" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
}

// TestBusySignIn: while too many passwords are being checked, the page says so.
func TestBusySignIn(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, busyRows(table, &w), nil)
	a := w.browser(t).post("/login", "email", occupied, "password", password).wants(503,
		"Too many people are signing in right now.", occupied)
	if a.header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
}

// TestNext: after the sign-in nobody is led to another origin, or in a circle.
func TestNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	for next, to := range map[string]string{
		"/settings/keys?tab=a": "/settings/keys?tab=a", "": "/", "https://evil.example/": "/", "//evil.example": "/",
		`/\evil.example`:   "/",
		"/\t/evil.example": "/", "javascript:alert(1)": "/", "settings": "/", "/login?next=/login": "/", "/logout": "/",
		"/a/../../b":        "/",
		"/%2F/evil.example": "/", "http:/evil.example": "/",
	} {
		b.get("/login?next=" + url.QueryEscape(next)).leadsTo(to)
	}
	w.browser(t).post("/login", "email", owner, "password", password, "next", "//evil.example").leadsTo("/")
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.get("/").leadsTo("/my")
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme", "system", "timeZone", "Europe/Stockholm").
		wants(303)
	form := b.get("/settings/keys/new?name=CI&preset=ci").wants(200, `value="CI"`, `value="slices:write" checked`)
	once := regexp.MustCompile(`name="once" value="([^"]+)"`).FindStringSubmatch(form.body)[1]

	b.post("/settings/keys", "once", once, "type", "pat").wants(422, `id="name-fault"`,
		`id="scopes-fault"`, "Please fill this in.", "Choose at least one.", once)
	b.post("/settings/keys", "name", "CI", "type", "pat").wants(422,
		`value="slices:read" autofocus>`).lacks(`autocomplete="off" maxlength="100" required autofocus`)
	b.post("/settings/keys", "once", once, "name", "CI", "type", "wst",
		"scopes", "slices:read").wants(422, `id="workspaceId-fault"`, "Choose a workspace.", `value="CI"`)
	b.post("/settings/keys", "name", "CI", "type", "pat", "scopes", "slices:read",
		"expiresAt", "2020-01-01").wants(422, "Choose a date in the future.", `value="2020-01-01"`)
	b.post("/settings/keys", "name", "CI", "type", "pat", "scopes", "slices:read",
		"expiresAt", "date", "expiresAt", "").wants(422, `id="expiresAt-fault"`)

	b.post("/settings/keys", "name", "\xff\xfe", "type", "pat", "scopes", "slices:read").wants(400, "not UTF-8")
	// Without script the choice of a workspace is sent for a personal token, too.
	b.post("/settings/keys", "name", "Laptop", "type", "pat", "workspaceId", w.web, "scopes", "slices:read").
		wants(200, "svc_pat_")

	fields := []string{"once", once, "name", "CI", "type", "wst", "workspaceId",
		w.web, "scopes", "slices:read", "scopes", "slices:write", "expiresAt", "date", "expiresAt", "2099-03-01"}
	created := b.post("/settings/keys", fields...).
		wants(200, "you will not see it again", "curl -sS", w.url+"/v1/slices")
	if created.header.Get("Cache-Control") != "no-store" {
		t.Error("a page with a secret may be stored")
	}
	token := regexp.MustCompile(`svc_wst_\w+`).FindString(created.body)
	c, err := w.Authenticate(t.Context(), token)
	must(t, err)
	if got := c.ExpiresAt.String(); got != "2099-03-01T22:59:59.000Z" {
		t.Errorf("the key expires at %s, not at the end of the day in Stockholm", got)
	}
	if again := b.post("/settings/keys", fields...).
		wants(409, "it has created one key"); strings.Contains(again.body, token) {
		t.Error("the token is shown twice")
	}
	fields[3] = "CI 2"
	b.post("/settings/keys", fields...).wants(422, "This form has already created a key", `value="CI 2"`)
	list := b.get("/settings/keys").wants(200, "CI", "Web shop", "slices:write", "…"+token[len(token)-4:])
	if strings.Contains(list.body, "CI 2") || strings.Contains(list.body, token) {
		t.Error("a second key, or a token, is in the list")
	}

	id := c.KeyID()
	b.get("/settings/keys/"+id).wants(200, "Rotate key", "Revoke key", "1 Mar 2099")
	rotated := b.post("/settings/keys/"+id+"/rotate", "gracePeriodSeconds", "3600").
		wants(200, "svc_wst_", "you will not see it again")
	if strings.Contains(rotated.body, token) {
		t.Error("the former token is shown")
	}
	b.post("/settings/keys/"+id+"/rotate", "gracePeriodSeconds", "9999999").wants(422)
	b.post("/settings/keys/" + id + "/revoke").leadsTo("/settings/keys")
	b.get("/settings/keys").wants(200, "The key is revoked.")
	b.post("/settings/keys/" + id + "/revoke").leadsTo("/settings/keys") // by a double click without script
	b.get("/settings/keys/"+id).wants(200, "Revoked")
	if _, err := w.Authenticate(t.Context(), token); err == nil {
		t.Error("a revoked key still works")
	}
}

// TestMember: somebody who administers no workspace creates personal tokens alone.
func TestMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, member)
	b.get("/settings/keys/new").wants(200, `value="wst" disabled`)
	b.post("/settings/keys", "name", "CI", "type", "wst", "workspaceId",
		w.web, "scopes", "slices:read").wants(403, "You may not create this key.")
}

// TestProof: what guards the account asks for the password, and then does what was asked for.
func TestProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	w.clock.add(16 * time.Minute)
	former := b.cookie()
	fields := []string{"name", "CI & more", "type", "pat", "scopes", "slices:read", "scopes", "user:read"}
	asked := b.post("/settings/keys", fields...).wants(403, "Enter your password",
		`name="name" value="CI &amp; more"`, `name="scopes" value="user:read"`, `action="/settings/keys"`)
	if strings.Contains(asked.body, "svc_pat_") {
		t.Error("the key was created")
	}
	b.post("/settings/keys", append(fields, "password", "wrong")...).
		wants(422, "The password is wrong.", `value="user:read"`)
	b.post("/settings/keys", append(fields, "password", password)...).wants(200, "svc_pat_")
	if b.cookie() == former {
		t.Error("the session was not rotated")
	}
	b.get("/settings/keys").wants(200, "CI &amp; more")
}

// TestProofOfPages: each page that gives rights or sends data out asks for the password once, and then does what was
// asked for. The export is started again from its page.
func TestProofOfPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	person := "/settings/people/" + w.users[member]
	made := b.post("/settings/webhooks?workspace=WEB", "url", "https://hooks.example.com/").wants(200)
	_, hook, _ := strings.Cut(made.body, "/settings/webhooks/whk_")
	page := "/settings/webhooks/whk_" + hook[:26]
	b.post(person + "/disable").wants(303)
	w.clock.add(16 * time.Minute)
	b.post(page + "/disable").wants(303) // ends something
	b.header.Set("Referer", w.url+"/settings/workspace?workspace=WEB")
	for _, c := range []struct {
		path   string
		fields []string
		status int
	}{
		{"/WEB-160/shares", nil, 200},
		{"/settings/webhooks?workspace=WEB", []string{"url", "https://other.example.com/"}, 200},
		{page + "/enable", nil, 303}, {page + "/rotate", nil, 200},
		{person + "/members", []string{"workspaceId", w.web, "role", "admin"}, 303}, {person + "/enable", nil, 303},
		{"/settings/workspace/export?workspace=WEB", []string{"back", "/settings/workspace?workspace=WEB"}, 303},
	} {
		w.clock.add(16 * time.Minute)
		b.post(c.path, c.fields...).wants(403, "Enter your password", `hx-boost="false"`)
		b.post(c.path, append(c.fields, "password", "wrong")...).wants(422, "The password is wrong.")
		b.post(c.path, append(c.fields, "password", password)...).wants(c.status)
	}
	b.get("/settings/workspace?workspace=WEB").wants(200, "It is confirmed that it is you.")
	if a := b.post("/settings/workspace/export?workspace=WEB").
		wants(200); a.header.Get("Content-Type") != "application/zip" {
		t.Errorf("the export is %s", a.header.Get("Content-Type"))
	}
	w.clock.add(16 * time.Minute)
	b.post(person + "/disable").wants(303)
	b.post(person+"/members/remove", "workspaceId", w.web).wants(303)
}

func TestSetup(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t, table, nil)
	token, err := w.operator.NewSetupLink(t.Context())
	must(t, err)
	link := "/setup/" + token
	b := w.browser(t)
	b.get("/login").wants(200, "no organisation yet")
	b.get("/setup/guess").wants(404)
	b.get(link).wants(200, "Set up Bugslice")
	short := b.post(link, "organization", "Northwind", "name", "Mara", "email", owner,
		"password", "short").wants(422, "at least 10 characters", `value="Northwind"`)
	if strings.Contains(short.body, `value="short"`) {
		t.Error("the page repeats the password")
	}
	b.Jar.SetCookies(b.address(), []*http.Cookie{{Name: "bugslice-zone", Value: "Asia/Tokyo", Path: "/"}})
	ready := b.post(link, "organization", "Northwind", "name", "Mara", "email", owner, "password", password).
		wants(200, "curl -sS", w.url+"/v1/slices")
	c, err := w.Authenticate(t.Context(), regexp.MustCompile(`svc_pat_\w+`).FindString(ready.body))
	must(t, err)
	want := []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.SpacesRead, api.UserRead}
	if c.Email != owner || !slices.Equal(c.Scopes, want) || c.ExpiresAt == nil {
		t.Errorf("the first key is %+v", c)
	}
	b.get(link).wants(404, "has been used", `href="/login"`)
	b.get("/settings/keys").wants(200, "First key")
	b.get("/settings/workspace?workspace=NOR").wants(200, `name="timeZone" value="Asia/Tokyo"`)
	if strings.Contains(w.browser(t).get("/login").wants(200).body, "no organisation yet") {
		t.Error("the page to sign in asks for a setup that was done")
	}
}

// TestPasswordLength: the pages name the shortest password that is accepted.
func TestPasswordLength(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t, table, nil)
	token, err := w.operator.NewSetupLink(t.Context())
	must(t, err)
	hint := fmt.Sprintf("At least %d characters.", hasher.MinLength)
	w.browser(t).get("/setup/"+token).wants(200, hint)
	w = newWorld(t, table, nil)
	w.signedIn(t, owner).get("/settings/security").wants(200, hint)
}

// TestZone: times are shown in the zone of the browser until the reader chooses one, and again when it is emptied. A
// name that is no zone is UTC.
func TestZone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	browser := func(zone string) {
		b.Jar.SetCookies(b.address(), []*http.Cookie{{Name: "bugslice-zone", Value: zone, Path: "/"}})
	}
	const shown = "/settings/security" // the time of a session
	b.get(shown).wants(200, " UTC\"")
	for _, wrong := range []string{"Mars/Olympus", "Local", "../../etc/passwd", "/etc/localtime",
		strings.Repeat("x", 3000)} {
		browser(wrong)
		b.get(shown).wants(200, " UTC\"")
	}
	browser("Asia/Tokyo")
	b.get(shown).wants(200, " JST\"")
	w.browser(t).get(shown).leadsTo("/login?next=%2Fsettings%2Fsecurity")
	b.get("/settings/profile").wants(200, `name="timeZone" value=""`, "that of your browser, Asia/Tokyo.")
	b.get("/settings/workspace/new").wants(200, `name="timeZone" value="Asia/Tokyo"`)
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme", "system", "timeZone", "UTC").
		leadsTo("/settings/profile")
	b.get(shown).wants(200, " UTC\"")
	b.post("/settings/profile", "version", "2", "name", "Mara", "theme", "system", "timeZone", "").
		leadsTo("/settings/profile")
	b.get(shown).wants(200, " JST\"")
}

// TestBrowserZone: the page to sign in stores the zone of the browser, so that the first page behind it shows times
// in it.
func TestBrowserZone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, "")
	browsertest.Call(b.Tab, emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
	b.Open("/login?next=/settings/security")
	b.Fill("email", owner)
	b.Fill("password", password)
	b.Click("Sign in")
	b.Wait(`[...document.querySelectorAll("[data-page=security] time")].some((e) => e.title.endsWith(" JST"))`)
	b.Quiet()
}

func TestProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme",
		"dark", "timeZone", "Mars/Olympus").wants(422, "there is no time zone of this name", `value="Mars/Olympus"`)
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme",
		"dark", "timeZone", "Europe/Stockholm").leadsTo("/settings/profile")
	shown := b.get("/settings/profile").wants(200, `data-theme="dark"`, "Your profile is saved.", `value="Mara"`,
		"Europe/Stockholm")
	if kept := strings.Join(shown.header.Values("Set-Cookie"), " "); !strings.Contains(kept, "bugslice-theme=dark;") {
		t.Errorf("the browser does not keep the theme for the reference: %q", kept)
	}
	b.post("/settings/profile", "version", "1", "name", "Typed", "theme",
		"dark", "timeZone", "UTC").wants(412, "changed somewhere else", `value="Typed"`, `name="version" value="2"`)
	b.post("/settings/profile/theme", "theme", "light", "next", "/settings/keys").leadsTo("/settings/keys")
	b.get("/settings/keys").wants(200, `data-theme="light"`)
}

// TestSessions: a session is listed with its browser, ends when its user says so, and never has a token that was
// there before.
func TestSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.browser(t)
	fixed := strings.Repeat("A", 43)
	b.setCookie(fixed)
	b.get("/settings/keys").leadsTo("/login?next=%2Fsettings%2Fkeys")
	b.post("/login", "email", owner, "password", password).wants(303)
	if b.cookie() == fixed {
		t.Error("the session has the token that was there before")
	}
	other, third := w.signedIn(t, owner), w.signedIn(t, owner)
	page := b.get("/settings/security").wants(200, "This session")
	ends := regexp.MustCompile(`/settings/security/sessions/ses_\w+/end`).FindAllString(page.body, -1)
	if len(ends) != 2 {
		t.Fatalf("%d sessions can be ended: %s", len(ends), page.content())
	}
	w.signedIn(t, member).post(ends[0]).wants(404)
	b.post(ends[0]).leadsTo("/settings/security")
	b.get("/settings/security").wants(200, "That session has ended.")
	b.post(ends[0]).wants(404)
	b.post("/settings/security/sessions/end").leadsTo("/settings/security")
	for _, ended := range []*browser{other, third} {
		ended.get("/settings/security").leadsTo("/login?next=%2Fsettings%2Fsecurity")
	}
	last := b.cookie()
	b.post("/logout").leadsTo("/login")
	b.setCookie(last)
	b.get("/settings/security").leadsTo("/login?next=%2Fsettings%2Fsecurity")
}

// TestChangePassword ends the other sessions and rotates this one.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, other := w.signedIn(t, owner), w.signedIn(t, owner)
	former := b.cookie()
	b.post("/settings/security/password", "currentPassword", "wrong", "newPassword",
		"another password").wants(422, "this is not your password")
	b.post("/settings/security/password", "currentPassword", password, "newPassword", "short").
		wants(422, `id="newPassword-fault"`)
	b.post("/settings/security/password", "currentPassword", password, "newPassword", "another password").
		leadsTo("/settings/security")
	if b.cookie() == former {
		t.Error("the session was not rotated")
	}
	b.get("/settings/security").wants(200, "Your password is changed.")
	other.get("/settings/security").leadsTo("/login?next=%2Fsettings%2Fsecurity")
	w.browser(t).post("/login", "email", owner, "password", password).wants(422)
	w.browser(t).post("/login", "email", owner, "password", "another password").wants(303)
}

func TestReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	filed := w.file(t, w.caller(t, owner), attacks[0])
	b.get("/slices/" + filed.ID).leadsTo("/WEB-162")
	hostile := b.get("/WEB-162").wants(200)
	a := b.get("/WEB-161").wants(200, "<title>WEB-161 The total of the cart is wrong when a voucher is used twice · Bugslice</title>",
		"Jonas Weber")
	for _, page := range []string{a.body, hostile.body} {
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img src=x") {
			t.Error("text of a report is markup")
		}
	}
	b.get("/WEB-9").wants(404)
	b.get("/web-161").leadsTo("/WEB-161")
	w.browser(t).get("/web-161").leadsTo("/login?next=%2Fweb-161")
}

// TestCookieNames: over https, however the base URL is written, a cookie is bound to the host.
func TestCookieNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, func(o *Options) { o.BaseURL = "HTTPS://Bugs.Example.com"; o.Insecure = true })
	b := w.browser(t)
	b.header.Set("Origin", "https://bugs.example.com")
	b.header.Del("Sec-Fetch-Site")
	in := b.post("/login", "email", owner, "password", password).wants(303)
	token := ""
	for _, c := range in.header.Values("Set-Cookie") {
		if v, ok := strings.CutPrefix(c, "__Host-bugslice="); ok {
			token, _, _ = strings.Cut(v, ";")
		}
		if !strings.HasPrefix(c, "__Host-bugslice") || !strings.Contains(c, "; Secure") {
			t.Errorf("cookie %s", c)
		}
	}
	r, err := http.NewRequest("GET", w.url+"/settings/keys", nil)
	must(t, err)
	r.Header.Set("Cookie", "bugslice="+token)
	w.browser(t).do(r, nil).wants(303)
	r.Header.Set("Cookie", "__Host-bugslice="+token)
	w.browser(t).do(r, nil).wants(200, "This connection is not encrypted")
}
