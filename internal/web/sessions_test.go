package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bugslice/internal/web/page"
)

// live is a backend whose sessions and accounts are the tracker's.
type live struct {
	page.Sessions
	page.Accounts
	page.Setup
	page.Keys
	page.Workspaces
	page.Reports
}

func newLiveWorld(t *testing.T) *world {
	return newWorld(t, table, func(o *Options) {
		b := o.Backend.(*backend)
		o.Backend = live{Sessions: b.Tracker, Accounts: b.Tracker, Setup: b, Keys: b, Workspaces: b, Reports: b}
	})
}

// cookie returns the value of the session's cookie.
func (b *browser) cookie() string {
	u, err := url.Parse(b.w.url)
	must(b.t, err)
	for _, c := range b.Jar.Cookies(u) {
		if c.Name == "bugslice" {
			return c.Value
		}
	}
	return ""
}

// TestLiveSessions: the pages drive the sessions and accounts of the tracker.
func TestLiveSessions(t *testing.T) {
	w := newLiveWorld(t)
	b := w.browser(t)
	fixed := &http.Cookie{Name: "bugslice", Value: strings.Repeat("A", 43), Path: "/"}
	u, err := url.Parse(w.url)
	must(t, err)
	b.Jar.SetCookies(u, []*http.Cookie{fixed})
	b.get("/settings/keys").leadsTo("/login?next=%2Fsettings%2Fkeys")
	wrong := b.post("/login", "email", email, "password", "wrong password").wants(422)
	unknown := b.post("/login", "email", "nobody@northwind.example", "password", "wrong password").wants(422)
	if got := strings.ReplaceAll(unknown.content(), "nobody@northwind.example", email); got != wrong.content() {
		t.Errorf("an unknown account is told:\n%s\n%s", got, wrong.content())
	}
	b.post("/login", "email", email, "password", password).wants(303)
	if b.cookie() == fixed.Value {
		t.Error("the session has the token that was there before")
	}
	other := w.signedIn(t, email)
	b.get("/settings/security").wants(200)
	b.post("/settings/profile", "version", "1", "name", "Mara L.", "theme", "dark", "timeZone", "Europe/Stockholm", "shortcuts", "true").leadsTo("/settings/profile")
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme", "dark", "timeZone", "UTC").wants(412)
	b.post("/settings/profile", "version", "2", "name", "Mara", "theme", "dark", "timeZone", "Nowhere").wants(422)
	b.get("/settings/profile").wants(200, "Mara L.", "Europe/Stockholm")
	b.post("/settings/keys", "name", "CI", "type", "pat", "scopes", "slices:read", "once", "1").wants(200, "svc_pat_")

	former := b.cookie()
	b.post("/settings/security/password", "currentPassword", "wrong", "newPassword", "another password").wants(422)
	b.post("/settings/security/password", "currentPassword", password, "newPassword", "another password").leadsTo("/settings/security")
	if b.cookie() == former {
		t.Error("the session was not rotated")
	}
	b.get("/settings/security").wants(200)
	other.get("/settings/security").leadsTo("/login?next=%2Fsettings%2Fsecurity")
	last := b.cookie()
	b.post("/logout").leadsTo("/login")
	b.Jar.SetCookies(u, []*http.Cookie{{Name: "bugslice", Value: last, Path: "/"}})
	b.get("/settings/security").leadsTo("/login?next=%2Fsettings%2Fsecurity")
}
