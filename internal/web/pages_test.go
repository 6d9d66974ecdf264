package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.browser(t)
	b.get("/").leadsTo("/login?next=%2F")
	b.get("/settings/keys?cursor=1").leadsTo("/login?next=%2Fsettings%2Fkeys%3Fcursor%3D1")
	b.get("/login?next=%2Fsettings%2Fprofile").wants(200, `value="/settings/profile"`)

	wrong := b.post("/login", "email", email, "password", "wrong", "next", "/settings/profile").wants(422, "The e-mail or the password is wrong.", email)
	unknown := b.post("/login", "email", "who@northwind.example", "password", "wrong", "next", "/settings/profile").wants(422)
	if strings.ReplaceAll(wrong.body, email, "") != strings.ReplaceAll(requestID(unknown.body), "who@northwind.example", "") {
		t.Error("the page tells whether an account exists")
	}
	if strings.Contains(wrong.body, "wrong\"") {
		t.Error("the page repeats the password")
	}
	in := b.post("/login", "email", email, "password", password, "next", "/settings/profile").leadsTo("/settings/profile")
	cookies := strings.Join(in.header.Values("Set-Cookie"), "\n")
	if !regexp.MustCompile(`(?m)^bugslice=session-1; Path=/; Max-Age=\d+; HttpOnly; SameSite=Lax$`).MatchString(cookies) {
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

// requestID takes the id of the request out of a page.
func requestID(body string) string {
	return regexp.MustCompile(`req_[0-9a-z]+`).ReplaceAllString(body, "")
}

func TestSignInRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for code, text := range map[string]string{api.CodeRateLimited: "There were too many attempts.", api.CodeUnavailable: "Too many people are signing in right now."} {
		p := api.NewProblem(code, "Later.")
		p.RetryAfter = 30e9
		w.refuse = p
		if a := w.browser(t).post("/login", "email", email, "password", password).wants(p.Status, text, email); a.header.Get("Retry-After") != "30" {
			t.Errorf("%s: Retry-After is %q", code, a.header.Get("Retry-After"))
		}
	}
}

// TestNext: after the sign-in nobody is led to another origin, or in a circle.
func TestNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for next, to := range map[string]string{
		"/settings/keys?tab=a": "/settings/keys?tab=a", "": "/", "https://evil.example/": "/", "//evil.example": "/", `/\evil.example`: "/",
		"/\t/evil.example": "/", "javascript:alert(1)": "/", "settings": "/", "/login?next=/login": "/", "/logout": "/", "/a/../../b": "/",
		"/%2F/evil.example": "/", "http:/evil.example": "/",
	} {
		w.browser(t).post("/login", "email", email, "password", password, "next", next).leadsTo(to)
	}
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, email)
	b.get("/").leadsTo("/settings/keys")
	form := b.get("/settings/keys/new?name=CI&preset=ci").wants(200, `value="CI"`, `value="slices:write" checked`)
	once := regexp.MustCompile(`name="once" value="([^"]+)"`).FindStringSubmatch(form.body)[1]

	b.post("/settings/keys", "once", once, "type", "pat").wants(422, `id="name-fault"`, `id="scopes-fault"`, "Please fill this in.", "Choose at least one.", once)
	b.post("/settings/keys", "once", once, "name", "CI", "type", "wst", "scopes", "slices:read").wants(422, `id="workspaceId-fault"`, "Choose a workspace.", `value="CI"`)
	b.post("/settings/keys", "name", "CI", "type", "pat", "scopes", "slices:read", "expiresAt", "2020-01-01").wants(422, "Choose a date in the future.", `value="2020-01-01"`)
	b.post("/settings/keys", "name", "CI", "type", "pat", "scopes", "slices:read", "expiresAt", "date", "expiresAt", "").wants(422, `id="expiresAt-fault"`)

	fields := []string{"once", once, "name", "CI", "type", "wst", "workspaceId", w.wsp, "scopes", "slices:read", "scopes", "slices:write", "expiresAt", "date", "expiresAt", "2099-03-01"}
	created := b.post("/settings/keys", fields...).wants(200, "you will not see it again", "curl -H", w.url+"/v1/slices")
	if created.header.Get("Cache-Control") != "no-store" {
		t.Error("a page with a secret may be stored")
	}
	token := regexp.MustCompile(`svc_wst_\w+`).FindString(created.body)
	c, err := w.Authenticate(t.Context(), token)
	must(t, err)
	if got := c.ExpiresAt.String(); got != "2099-03-01T22:59:59.000Z" {
		t.Errorf("the key expires at %s, not at the end of the day in Stockholm", got)
	}
	if again := b.post("/settings/keys", fields...).wants(409, "it has created one key"); strings.Contains(again.body, token) {
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
	rotated := b.post("/settings/keys/"+id+"/rotate", "gracePeriodSeconds", "3600").wants(200, "svc_wst_", "you will not see it again")
	if strings.Contains(rotated.body, token) {
		t.Error("the former token is shown")
	}
	b.post("/settings/keys/"+id+"/rotate", "gracePeriodSeconds", "9999999").wants(422)
	b.post("/settings/keys/" + id + "/revoke").leadsTo("/settings/keys")
	b.get("/settings/keys").wants(200, "The key is revoked.")
	b.get("/settings/keys/" + id).wants(404)
	if _, err := w.Authenticate(t.Context(), token); err == nil {
		t.Error("a revoked key still works")
	}
}

// TestMember: somebody who administers no workspace creates personal tokens alone.
func TestMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, "member@northwind.example")
	b.get("/settings/keys/new").wants(200, `value="wst" disabled`)
	b.post("/settings/keys", "name", "CI", "type", "wst", "workspaceId", w.wsp, "scopes", "slices:read").wants(403, "You may not create this key.")
}

// TestProof: what guards the account asks for the password, and then does what was asked for.
func TestProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, email)
	w.stale = true
	fields := []string{"name", "CI & more", "type", "pat", "scopes", "slices:read", "scopes", "user:read"}
	asked := b.post("/settings/keys", fields...).wants(403, "Enter your password", `name="name" value="CI &amp; more"`, `name="scopes" value="user:read"`, `action="/settings/keys"`)
	if strings.Contains(asked.body, "svc_pat_") {
		t.Error("the key was created")
	}
	b.post("/settings/keys", append(fields, "password", "wrong")...).wants(422, "The password is wrong.", `value="user:read"`)
	proved := b.post("/settings/keys", append(fields, "password", password)...).wants(200, "svc_pat_")
	if !strings.Contains(strings.Join(proved.header.Values("Set-Cookie"), ""), "bugslice=session-2") {
		t.Error("the session was not rotated")
	}
	b.get("/settings/keys").wants(200, "CI &amp; more")
}

func TestSetup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.browser(t)
	b.get("/setup/guess").wants(404)
	b.get("/setup/setup-token").wants(200, "Set up Bugslice")
	short := b.post("/setup/setup-token", "organization", "Northwind", "email", email, "password", "short").wants(422, "at least 12 characters", `value="Northwind"`)
	if strings.Contains(short.body, `value="short"`) {
		t.Error("the page repeats the password")
	}
	b.post("/setup/setup-token", "organization", "Northwind", "email", email, "password", password).wants(200, "curl -H", w.first)
	b.get("/settings/keys").wants(200)
}

func TestProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, email)
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme", "dark", "timeZone", "Mars/Olympus").wants(422, "there is no time zone of this name", `value="Mars/Olympus"`)
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme", "dark", "timeZone", "UTC").leadsTo("/settings/profile")
	b.get("/settings/profile").wants(200, `data-theme="dark"`, "Your profile is saved.", `value="Mara"`)
	b.post("/settings/profile", "version", "1", "name", "Typed", "theme", "dark", "timeZone", "UTC").wants(412, "changed somewhere else", `value="Typed"`, `name="version" value="2"`)
	b.post("/settings/profile/theme", "theme", "light", "next", "/settings/keys").leadsTo("/settings/keys")
	b.get("/settings/keys").wants(200, `data-theme="light"`)
	b.post("/settings/security/password", "currentPassword", "wrong", "newPassword", "x").wants(422, "this is not your password")
	b.post("/settings/security/password", "currentPassword", password, "newPassword", "a new long password").leadsTo("/settings/security")
	b.get("/settings/security").wants(200, "Your password is changed.", "Safari on iPhone")
	b.post("/settings/security/sessions/ses_other/end").leadsTo("/settings/security")
	b.post("/settings/security/sessions/ses_none/end").wants(404)
	b.post("/settings/security/sessions/end").leadsTo("/settings/security")
}

func TestReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, email)
	b.get("/slices/slc_1").leadsTo("/WEB-161")
	a := b.get("/WEB-161").wants(200, "<title>WEB-161 The total of the cart is wrong when a voucher is used twice · Bugslice</title>", "Jonas Weber")
	if strings.Contains(a.body, "<script>alert") || strings.Contains(a.body, "<img src=x") {
		t.Error("text of a report is markup")
	}
	b.get("/WEB-9").wants(404)
	w.browser(t).get("/web-161").wants(404)
}

// TestCookieNames: over https, however the base URL is written, a cookie is bound to the host.
func TestCookieNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, func(o *Options) { o.BaseURL = "HTTPS://Bugs.Example.com"; o.Insecure = true })
	b := w.browser(t)
	b.header.Set("Origin", "https://bugs.example.com")
	b.header.Del("Sec-Fetch-Site")
	in := b.post("/login", "email", email, "password", password).wants(303)
	for _, c := range in.header.Values("Set-Cookie") {
		if !strings.HasPrefix(c, "__Host-bugslice") || !strings.Contains(c, "; Secure") {
			t.Errorf("cookie %s", c)
		}
	}
	r, err := http.NewRequest("GET", w.url+"/settings/keys", nil)
	must(t, err)
	r.Header.Set("Cookie", "bugslice=session-1")
	w.browser(t).do(r, nil).wants(303)
	r.Header.Set("Cookie", "__Host-bugslice=session-1")
	w.browser(t).do(r, nil).wants(200, "This connection is not encrypted")
}
