package suite

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// visitor asks for pages like a browser without script: with cookies, and without following redirects.
type visitor struct {
	*http.Client
	t   *testing.T
	url string
}

func newVisitor(t *testing.T, s *server) visitor {
	jar, err := cookiejar.New(nil)
	must(t, err)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return visitor{&http.Client{Jar: jar, CheckRedirect: stay, Timeout: time.Minute}, t, s.URL}
}

// get returns a page, or the address that it redirects to.
func (b visitor) get(status int, path string) string {
	b.t.Helper()
	return b.send(status, "GET", path, nil)
}

// post sends a form.
func (b visitor) post(status int, path string, form url.Values) string {
	b.t.Helper()
	return b.send(status, "POST", path, form)
}

func (b visitor) send(status int, method, path string, form url.Values) string {
	b.t.Helper()
	q, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	must(b.t, err)
	q.Header.Set("Accept", "text/html")
	if form != nil {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		q.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	r, err := b.Do(q)
	must(b.t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(b.t, err)
	if r.StatusCode != status {
		b.t.Fatalf("%s %s: %d, want %d: %s", method, path, r.StatusCode, status, body)
	}
	if to := r.Header.Get("Location"); to != "" {
		return to
	}
	return html.UnescapeString(string(body))
}

var (
	tokenShown = regexp.MustCompile(`svc_(pat|wst)_[0-9A-Za-z]{36}`)
	onceField  = regexp.MustCompile(`name="once" value="([^"]+)"`)
	wspOption  = regexp.MustCompile(`value="(wsp_[0-9a-z]+)"`)
	keyLink    = regexp.MustCompile(`/settings/keys/(key_[0-9a-z]+)`)
	setupLink  = regexp.MustCompile(`(/setup/\S+)`)
)

func (b visitor) find(pattern *regexp.Regexp, in string) string {
	b.t.Helper()
	found := pattern.FindStringSubmatch(in)
	if found == nil {
		b.t.Fatalf("no %s in %s", pattern, in)
	}
	return found[len(found)-1]
}

// TestNewcomer: a newcomer comes from the printed link to a token for CI that is used, rotated and revoked, on the
// program itself.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, link := startEmpty(t, engine)
			b := newVisitor(t, s)
			b.setUp(link)
			token := b.createKey()
			b.useKey(token)
		})
	}
}

// TestStoredPasswords: the program stores passwords under hashes with the parameters that OWASP recommends for
// argon2id.
func TestStoredPasswords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	newServer(t, "sqlite", dir).cli(t, "bootstrap", "--org", "Acme", "--workspace", "Web", "--email",
		"ada@acme.example")
	db := openBeside(t, dir)
	var hash string
	must(t, db.QueryRowContext(t.Context(), "SELECT password_hash FROM users").Scan(&hash))
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", hash)
	}
}

// setUp creates the organisation by the printed link, signs out and signs in again.
func (b visitor) setUp(link string) {
	b.t.Helper()
	ada := url.Values{"email": {"ada@acme.example"}, "password": {"correct horse 1"}}
	b.get(200, link)
	b.post(422, link, url.Values{"organization": {"Acme"}, "name": {" "}, "email": {"ada"}, "password": {"short"}})
	ready := b.post(200, link, url.Values{"organization": {"Acme"}, "name": {"Ada Byron"},
		"email": ada["email"], "password": ada["password"]})
	token := tokenShown.FindString(ready)
	if !strings.Contains(ready, "-H 'Authorization: Bearer "+token+"'") {
		b.t.Errorf("no curl line with the token: %s", ready)
	}
	b.callsWith(token, "/v1/slices", 200)
	b.get(404, link)
	b.get(200, "/settings/keys")
	b.post(303, "/logout", url.Values{})
	if to := b.get(303, "/settings/keys"); to != "/login?next=%2Fsettings%2Fkeys" {
		b.t.Errorf("a stranger is sent to %s", to)
	}
	b.post(422, "/login", url.Values{"email": ada["email"], "password": {"correct horse 2"}})
	ada.Set("next", "//evil.example/")
	if to := b.post(303, "/login", ada); !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
		b.t.Errorf("after signing in: %s", to)
	}
}

// createKey creates a workspace token with two scopes and an expiry, and returns its token, which no other page shows.
func (b visitor) createKey() string {
	b.t.Helper()
	page := b.get(200, "/settings/keys/new")
	form := url.Values{"name": {"CI"}, "type": {"wst"}, "workspaceId": {b.find(wspOption, page)},
		"once":      {b.find(onceField, page)},
		"scopes":    {"slices:read", "slices:write"},
		"expiresAt": {time.Now().AddDate(0, 0, 30).UTC().Format(time.RFC3339)}}
	bad := url.Values{"name": {""}, "type": {"wst"}, "once": {"x"}}
	if page := b.post(422, "/settings/keys", bad); !strings.Contains(page, `id="name-fault"`) {
		b.t.Errorf("the error is not at its field: %s", page)
	}
	token := tokenShown.FindString(b.post(200, "/settings/keys", form))
	if token == "" {
		b.t.Fatal("no token is shown")
	}
	if again := b.post(409, "/settings/keys", form); tokenShown.MatchString(again) {
		b.t.Error("the form that is sent again shows a token")
	}
	list := b.get(200, "/settings/keys")
	if strings.Contains(list, token) || strings.Count(list, "CI") == 0 {
		b.t.Errorf("the list of keys: %s", list)
	}
	return token
}

// useKey calls the API with the token for what it may and may not do, then rotates and revokes its key.
func (b visitor) useKey(token string) {
	b.t.Helper()
	b.callsWith(token, "/v1/slices", 200)
	b.callsWith(token, "/v1/api-keys", 403)
	list := b.get(200, "/settings/keys")
	path := "/settings/keys/" + b.find(regexp.MustCompile(keyLink.String()+`"[^>]*>[^<]*CI`), list)
	form := url.Values{"once": {b.find(onceField, b.get(200, path))}, "gracePeriodSeconds": {"0"}}
	next := tokenShown.FindString(b.post(200, path+"/rotate", form))
	b.callsWith(token, "/v1/slices", 401)
	b.callsWith(next, "/v1/slices", 200)
	b.post(303, path+"/revoke", url.Values{})
	b.callsWith(next, "/v1/slices", 401)
	q, err := http.NewRequestWithContext(b.t.Context(), "GET", b.url+"/v1/slices", nil)
	must(b.t, err)
	r, err := b.Do(q) // with the cookie of the session
	must(b.t, err)
	must(b.t, r.Body.Close())
	if r.StatusCode != 401 {
		b.t.Errorf("a session opens the API: %d", r.StatusCode)
	}
}

// callsWith calls the API with a token, and opens a page with it, which no token may.
func (b visitor) callsWith(token, path string, status int) {
	b.t.Helper()
	for at, want := range map[string]int{path: status, "/settings/keys": 401} {
		q, err := http.NewRequestWithContext(b.t.Context(), "GET", b.url+at, nil)
		must(b.t, err)
		q.Header.Set("Authorization", "Bearer "+token)
		r, err := http.DefaultClient.Do(q)
		must(b.t, err)
		must(b.t, r.Body.Close())
		if r.StatusCode != want {
			b.t.Errorf("GET %s: %d, want %d", at, r.StatusCode, want)
		}
	}
}
