package suite

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newSite starts a server, and returns a visitor who has set it up and is signed in, and a client with the first key.
func newSite(t *testing.T) (visitor, client) {
	t.Helper()
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "printed"))
	must(t, err)
	t.Cleanup(func() { _ = out.Close() })
	s := newServer(t, "sqlite", dir)
	s.out = out
	s.start(t)
	t.Cleanup(s.kill)
	printed, err := os.ReadFile(out.Name())
	must(t, err)
	b := newVisitor(t, s)
	ready := b.post(200, b.find(setupLink, string(printed)),
		url.Values{"organization": {"Acme"}, "name": {"Ada Byron"}, "email": {"ada@acme.example"},
			"password": {"correct horse 1"}})
	return b, client{s, tokenShown.FindString(ready)}
}

// TestReferencesInSmallLetters: a path with a reference in small letters leads to the one in capitals, and the query
// with it.
func TestReferencesInSmallLetters(t *testing.T) {
	t.Parallel()
	b, c := newSite(t)
	workspace := c.want(t, 200, "GET", "/v1/workspaces", nil).get(t, "data").([]any)[0].(map[string]any)["id"].(string)
	made := c.slice(t, workspace, nil)
	reference := made["reference"].(string)
	small := strings.ToLower(reference)
	for path, want := range map[string]string{"/" + small: "/" + reference,
		"/" + small + "?tab=network&t=1": "/" + reference + "?tab=network&t=1",
		"/slices/" + small:               "/" + reference, "/slices/" + made["id"].(string) + "?t=2": "/" + reference +
			"?t=2"} {
		if got := b.get(303, path); got != want {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
	b.get(200, "/"+reference+"?tab=network")
	b.get(404, "/none-1")
	b.get(404, "/"+small+"/")
}

// TestFirstKeyIsBounded: the key of the setup page works for its curl line and for filing, manages nothing, and
// expires in 30 days, which the page says.
func TestFirstKeyIsBounded(t *testing.T) {
	t.Parallel()
	b, c := newSite(t)
	c.want(t, 200, "GET", "/v1/slices", nil)
	c.want(t, 403, "GET", "/v1/api-keys", nil)
	c.want(t, 403, "POST", "/v1/workspaces", map[string]any{"name": "More"})
	path := "/settings/keys/" + b.find(keyLink, b.get(200, "/settings/keys"))
	if page := b.get(200, path); !strings.Contains(page, "First key") ||
		!strings.Contains(page, "in 29 days") && !strings.Contains(page, "in 30 days") &&
			!strings.Contains(page, "in 1 month") {
		t.Errorf("the page of the key: %s", page)
	}
}

// TestNextIsAPage: a sign-in leads to an existing page, or to the start.
func TestNextIsAPage(t *testing.T) {
	t.Parallel()
	b, _ := newSite(t)
	b.post(303, "/logout", url.Values{})
	for next, want := range map[string]string{
		"/settings/security?x=1": "/settings/security?x=1", "/WEB-1?tab=network": "/WEB-1?tab=network",
		"/settings/keys/key_1":    "/settings/keys/key_1",
		"/settings/profile/theme": "/", "/settings/keys/key_1/rotate": "/",
		"/settings/security/sessions/end": "/", "/logout": "/", "/login": "/",
		"/nowhere": "/", "/nowhere/at/all": "/", "/settings/keys/%00": "/",
		"//evil.example/settings/keys": "/", "https://evil.example/": "/", "": "/",
	} {
		form := url.Values{"email": {"ada@acme.example"}, "password": {"correct horse 1"}, "next": {next}}
		if got := b.post(303, "/login", form); got != want {
			t.Errorf("next=%s leads to %s, want %s", next, got, want)
		}
	}
}
