package web

import (
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTheirProvider: people sign in at the example provider of zitadel/oidc, and their sessions are refreshed there. A client with
// another secret gets nothing; a provider that has forgotten a session ends it.
func TestTheirProvider(t *testing.T) {
	if os.Getenv("BUGSLICE_TEST_FULL") == "" {
		t.Skip("make foreign-clients builds the provider")
	}
	binary := filepath.Join(t.TempDir(), "provider")
	if out, err := exec.Command("go", "build", "-modfile=../../tools/go.mod", "-o", binary,
		"github.com/zitadel/oidc/v3/example/server").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w := newWorld(t, table, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	must(t, l.Close())
	start := func() (stop func()) {
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), "PORT="+port, "REDIRECT_URI=http://test/login/"+w.org.ID+"/callback")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		must(t, cmd.Start())
		for range 200 {
			if c, err := net.Dial("tcp", "localhost:"+port); err == nil {
				must(t, c.Close())
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	}
	stop := start()
	defer func() { stop() }()

	admin := w.signedIn(t, owner)
	configure := func(secret string) {
		version := hidden(t, admin.get("/settings/sign-in").wants(200).body, "version")
		admin.post("/settings/sign-in", "version", version, "name", "Zitadel", "issuer", "http://localhost:"+port+"/",
			"clientId", "web",
			"clientSecret", secret, "domains", "zitadel.ch").wants(303)
	}
	enter := func(b *browser) answer {
		return b.get(theirAnswer(t, b.get("/login/"+w.org.ID+"?next=/my").wants(303).header.Get("Location"),
			"http://localhost:"+port))
	}
	configure("not the secret")
	admin.post("/settings/sign-in/check").wants(200, "The provider answers, and can be used.")
	enter(w.browser(t)).wants(403, "The provider refused")
	configure("secret")
	b := w.browser(t)
	if to := enter(b).wants(303).header.Get("Location"); to != "/my" {
		t.Errorf("leads to %s", to)
	}
	b.get("/settings/profile").wants(200, "test-user2@zitadel.ch", "Test User2")
	for range 2 {
		w.clock.add(4 * time.Minute)
		b.get("/my").wants(200)
	}
	stop()
	stop = start() // it knows neither its keys nor its sessions any more
	w.clock.add(10 * time.Minute)
	b.get("/my").wants(303)
}

// theirAnswer signs in at the provider and returns the path with which the browser returns.
func theirAnswer(t *testing.T, location, base string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	resolve := func(to string) string {
		u, err := url.Parse(to)
		must(t, err)
		from, err := url.Parse(base)
		must(t, err)
		return from.ResolveReference(u).String()
	}
	for range 5 {
		response, err := browser.Get(resolve(location))
		must(t, err)
		must(t, response.Body.Close())
		if response.StatusCode == http.StatusOK { // it asks for the name and the password
			form := url.Values{"username": {"test-user2"}, "password": {"verysecure"},
				"id": {response.Request.URL.Query().Get("authRequestID")}}
			if response, err = browser.PostForm(base+"/login/username", form); err != nil {
				t.Fatal(err)
			}
			must(t, response.Body.Close())
		}
		location = response.Header.Get("Location")
		if path, ok := strings.CutPrefix(location, "http://test"); ok {
			return path
		}
	}
	t.Fatalf("the provider leads to %s", location)
	return ""
}
