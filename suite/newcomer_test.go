package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/browsertest"
)

const passphrase = "correct horse 1"

// newcomer is somebody who uses the program in a browser for the first time.
type newcomer struct {
	*browsertest.Tab
	visitor
	t      *testing.T
	server *server
}

// TestBrowserNewcomer: the steps of TestNewcomer in Chromium, with script and without, and signing out and in.
func TestBrowserNewcomer(t *testing.T) {
	t.Parallel()
	for _, engine := range sized([]string{"sqlite"}, []string{"sqlite", "postgres"}) {
		for _, script := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/script=%v", engine, script), func(t *testing.T) {
				t.Parallel()
				s, link := startEmpty(t, engine)
				n := newcomer{browsertest.Open(t, s.URL), newVisitor(t, s), t, s}
				n.Script(script)
				n.setUp(link)
				first, id := n.createKey()
				second := n.rotateKey(first)
				n.revokeKey(id, first, second)
				n.signInAgain()
				if engine == "sqlite" {
					n.endSession()
				}
				n.Quiet()
			})
		}
	}
}

// startEmpty starts a server without records, and returns it with the path of its setup link.
func startEmpty(t *testing.T, engine string, args ...string) (*server, string) {
	t.Helper()
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "printed"))
	must(t, err)
	defer out.Close()
	s := newServer(t, engine, dir, args...)
	s.out = out
	s.start(t)
	t.Cleanup(s.kill)
	printed, err := os.ReadFile(out.Name())
	must(t, err)
	return s, newVisitor(t, s).find(setupLink, string(printed))
}

// page waits for a page.
func (n newcomer) page(name string) {
	n.t.Helper()
	n.Wait(fmt.Sprintf(`document.readyState == "complete" && document.querySelector("[data-page=%s]")`, name))
}

// text waits for an element and returns its text.
func (n newcomer) text(id string) string {
	n.t.Helper()
	n.Wait(fmt.Sprintf(`document.readyState == "complete" && document.getElementById(%q)`, id))
	return browsertest.Eval[string](n.Tab, fmt.Sprintf(`document.getElementById(%q).textContent`, id))
}

func (n newcomer) sees(what string) bool {
	n.t.Helper()
	return browsertest.Eval[bool](n.Tab, what)
}

// reload reloads a page that shows a token: it is not shown again, and as many keys exist as before.
func (n newcomer) reload(token string, keys int) {
	n.t.Helper()
	n.Reload()
	if n.sees(fmt.Sprintf(`document.body.innerText.includes(%q)`, token)) {
		n.t.Error("the token is shown again")
	}
	n.Open("/settings/keys")
	if listed := browsertest.Eval[int](n.Tab, `document.querySelectorAll("tbody tr").length`); listed != keys {
		n.t.Errorf("%d keys, want %d", listed, keys)
	}
}

// setUp creates the organisation by the printed link and runs the command that the last page shows.
func (n newcomer) setUp(link string) {
	n.t.Helper()
	n.Open(link)
	n.Fill("organization", "Acme")
	n.Fill("name", "Ada Byron")
	n.Fill("email", "ada@acme.example")
	n.Fill("password", passphrase)
	n.Click("Create organisation")
	token := n.text("token")
	n.filesByCommand(token)
	n.Click("Go to Bugslice")
	n.page("my")
	n.Open(link)
	n.page("problem")
	n.reload(token, 1)
}

// filesByCommand runs the command of the page. It files a report with a console and a failed request, and prints its
// address.
func (n newcomer) filesByCommand(token string) {
	n.t.Helper()
	out, err := exec.Command("sh", "-c", n.text("curl")).CombinedOutput()
	must(n.t, err)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(out)), n.server.URL+"/slices/")
	if !ok {
		n.t.Fatalf("the command of the page printed %s", out)
	}
	filed := client{n.server, token}.want(n.t, 200, "GET", "/v1/slices/"+path, nil)
	counts := filed.get(n.t, "evidence").(map[string]any)
	if counts["consoleErrors"] != 1.0 || counts["failedRequests"] != 1.0 || filed.get(n.t, "environment.os") == nil {
		n.t.Errorf("the report has the evidence %v", counts)
	}
}

// createKey creates a workspace token for CI with two scopes and an expiry, and returns the token and the id of the
// key.
func (n newcomer) createKey() (token, id string) {
	n.t.Helper()
	n.Click("New key")
	n.page("newkey")
	n.Fill("name", "CI")
	n.ClickOn("label:has([name=type][value=wst])")
	for _, scope := range []string{"slices:read", "slices:write"} {
		n.ClickOn(fmt.Sprintf("label:has([name=scopes][value=%q])", scope))
	}
	n.Click("30 days")
	n.Click("Create key")
	token = n.text("token")
	n.callsWith(token, "/v1/slices", 200)
	n.callsWith(token, "/v1/api-keys", 403)
	n.reload(token, 2)
	n.Click("CI")
	n.page("key")
	if !n.sees(`document.body.innerText.includes("slices:write") && !document.body.innerText.includes("user:read")`) {
		n.t.Error("the key has other scopes")
	}
	return token, n.find(keyLink, browsertest.Eval[string](n.Tab, `location.pathname`))
}

// rotateKey rotates the key of the page that is open with grace, and returns the new token.
func (n newcomer) rotateKey(former string) string {
	n.t.Helper()
	n.Click("Rotate key")
	n.Wait(`document.querySelector("#rotate[open]")`)
	n.ClickOn("#rotate .button-primary")
	token := n.text("token")
	for _, works := range []string{former, token} {
		n.callsWith(works, "/v1/slices", 200)
	}
	n.reload(token, 2)
	return token
}

// revokeKey revokes a key, whose tokens are refused from the next request on.
func (n newcomer) revokeKey(id string, tokens ...string) {
	n.t.Helper()
	n.Open("/settings/keys/" + id)
	n.Click("Revoke key")
	n.Wait(`document.querySelector("#revoke[open]")`)
	n.ClickOn("#revoke .button-danger-solid")
	n.page("keys")
	for _, token := range tokens {
		n.callsWith(token, "/v1/slices", 401)
	}
}

// signInAgain signs out, tries a wrong password and is led to the page that was asked for.
func (n newcomer) signInAgain() {
	n.t.Helper()
	n.ClickOn("#sidebar [popovertarget=account]")
	n.Click("Sign out")
	n.page("login")
	n.Open("/settings/profile")
	n.page("login")
	n.signIn("wrong password")
	n.Wait(`document.querySelector(".notice-bad")`)
	n.signIn(passphrase)
	n.page("profile")
}

func (n newcomer) signIn(password string) {
	n.t.Helper()
	n.Fill("email", "ada@acme.example")
	n.Fill("password", password)
	n.Click("Sign in")
}

// endSession ends the session of another browser.
func (n newcomer) endSession() {
	n.t.Helper()
	other := newcomer{browsertest.Open(n.t, n.url), n.visitor, n.t, n.server}
	other.Open("/settings/security")
	other.signIn(passphrase)
	other.page("security")
	n.Open("/settings/security")
	n.Click("End all other sessions")
	n.Wait(`document.querySelector("main .notice-good")`)
	other.Open("/settings/security")
	other.page("login")
}
