package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/oauth"
	"bugslice/internal/tracker"
)

const verifier = "verifier-verifier-verifier-verifier-verifier"

// authorization returns the parameters of a request of a program, which registers itself with a redirect.
func (w *world) authorization(t testing.TB, name, redirect string) url.Values {
	t.Helper()
	m, err := w.oauth.Register(t.Context(), name, oauth.Metadata{Name: name, Redirects: []string{redirect}})
	must(t, err)
	sum := sha256.Sum256([]byte(verifier))
	return url.Values{"client_id": {m.ClientID}, "redirect_uri": {redirect}, "response_type": {"code"},
		"state":          {"s 1"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"scope": {"slices:read slices:write user:read"}}
}

// startDevice begins the device flow of a command line.
func (w *world) startDevice(t testing.TB, host string) oauth.DeviceCodes {
	t.Helper()
	codes, err := w.oauth.StartDevice(t.Context(), access.Request{ClientAddress: "198.51.100.7"}, host,
		"slices:read slices:write keys:manage")
	must(t, err)
	return codes
}

func (w *world) poll(codes oauth.DeviceCodes) (oauth.Tokens, error) {
	w.clock.add(10 * time.Second)
	return w.oauth.Token(context.Background(), access.Request{}, url.Values{"grant_type": {oauth.GrantDevice},
		"client_id": {oauth.CommandLine}, "device_code": {codes.Device}})
}

// programs are the addresses of pages about programs, for states.
type programs struct{ device, consent, refused string }

// connectPrograms adds a connected command line, one that waits, and an assistant that asks. name may change each name.
func (w *world) connectPrograms(t testing.TB, name func(string) string) programs {
	t.Helper()
	allowed := w.startDevice(t, name("mara-laptop"))
	s, err := w.Session(t.Context(), tracker.Client{}, w.session(t, owner, tracker.Client{}))
	must(t, err)
	_, err = w.oauth.ApproveDevice(t.Context(), s, client("192.0.2.1", ""), allowed.User,
		oauth.Choice{Scopes: []string{"slices:read"},
			ExpiresAt: api.At(w.clock.now().Add(90 * 24 * time.Hour)).String()})
	must(t, err)
	_, err = w.poll(allowed)
	must(t, err)
	q := w.authorization(t, name("Claude"), "https://claude.ai/api/mcp/auth_callback")
	p := programs{device: w.startDevice(t, name("build-7")).User, consent: "/oauth/authorize?" + q.Encode()}
	q.Set("code_challenge_method", "plain")
	p.refused = "/oauth/authorize?" + q.Encode()
	return p
}

// TestBrowserAllowsACommandLine: a person who is not signed in opens the address of a command line, signs in, takes a
// scope away, proves the password when that was long ago, and allows it, with and without scripts. The key is the
// person's. Somebody else cannot use the code, and who denies one gives nothing.
func TestBrowserAllowsACommandLine(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]bool{"with scripts": true, "without scripts": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, table, nil)
			codes := w.startDevice(t, "mara-laptop")
			b := w.tab(t, "")
			b.Script(script)
			b.Open("/device?user_code=" + codes.User)
			b.Fill("email", owner)
			b.Fill("password", password)
			b.Click("Sign in")
			b.Wait(`location.pathname == "/device" && document.querySelector("[name=user_code]")?.value == "` +
				codes.User + `"`)
			w.clock.add(9 * time.Minute)
			b.Click("Continue")
			b.Wait(`document.querySelector("h1").textContent == "Connect a command line?"`)
			if text := b.text(`document.querySelector("main").textContent`); !strings.Contains(text, "mara-laptop") ||
				!strings.Contains(text, "198.51.100.7, another one") || !strings.Contains(text, "Web shop") {
				t.Error(text)
			}
			b.ClickOn("[name=scopes][value='keys:manage']")
			b.Click("Allow")
			b.Wait(`document.querySelector("h1").textContent == "The command line is connected"`)
			tokens, err := w.poll(codes)
			must(t, err)
			c, err := w.Authenticate(t.Context(), tokens.Access)
			if err != nil || c.ID != w.users[owner] || tokens.Scope != "slices:read slices:write" {
				t.Errorf("%+v of %s (%v)", tokens, c.ID, err)
			}
			b.Open("/settings/keys")
			b.Wait(`document.querySelector("main h2")?.textContent == "Connected assistants and command lines"`)
			b.Open(b.text(`document.querySelector("main h2 ~ table .row-link").getAttribute("href")`))
			b.Wait(`document.querySelector("h1").textContent.includes("Command line on mara-laptop")`)
			b.Click("Revoke key")
			b.Wait(`document.querySelector("#revoke .button-danger-solid")`)
			b.Quiet()
		})
	}
}

// TestDevicePages: a link alone looks nothing up; a wrong code is refused, and after five of them every code; a code
// that somebody else has used is none; an old proof of the password is asked for again, and the choice is kept.
func TestDevicePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, other := w.signedIn(t, owner), w.signedIn(t, member)
	w.clock.add(16 * time.Minute)
	codes := w.startDevice(t, "mara-laptop")
	b.get("/device?user_code="+codes.User).wants(200, codes.User)
	allow := []string{"user_code", codes.User, "decision", "allow", "once", "1", "scopes", "slices:read",
		"expiresAt", api.At(w.clock.now().Add(time.Hour)).String()}
	b.post("/device", allow...).wants(403, "Allow the command line with the code", `name="scopes" value="slices:read"`)
	b.post("/device", append(allow, "password", password)...).wants(200, "The command line is connected")
	b.post("/device", allow...).wants(422, "No command line waits with this code")
	other.post("/device", "user_code", codes.User).wants(422, "No command line waits with this code")
	tokens, err := w.poll(codes)
	must(t, err)
	if tokens.Scope != "slices:read" {
		t.Errorf("%+v", tokens)
	}
	v := valid(t, api.ListKeys{Paging: api.Paging{Limit: 100}})
	keys, err := w.ListKeys(t.Context(), w.caller(t, owner), v)
	must(t, err)
	made := keys.Data[len(keys.Data)-1]
	b.get("/settings/keys/"+made.ID).wants(200, "Made for", "<bdi>Command line</bdi>", "Rotate key")
	denied := w.startDevice(t, "unknown")
	other.post("/device", "user_code", denied.User, "decision", "deny").wants(200, "is not connected")
	if _, err := w.poll(denied); err == nil || !strings.HasPrefix(err.Error(), "access_denied") {
		t.Error(err)
	}
	for range 3 { // with two of this address before
		b.post("/device", "user_code", "BCDFGHJK").wants(422)
	}
	b.post("/device", "user_code", w.startDevice(t, "x").User).wants(429, "Too many codes were wrong")
}

// TestBrowserConnectsAnAssistant: a person allows an assistant in a browser, and the assistant, which listens on this
// machine at a port that it has not registered, gets a code with its state and the issuer, and a token with what was
// allowed alone: reading, unless chosen.
func TestBrowserConnectsAnAssistant(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]bool{"with scripts": true, "without scripts": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, table, nil)
			returned := make(chan url.Values, 10)
			assistant := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/callback" {
					returned <- r.URL.Query()
				}
				if r.Referer() != "" {
					t.Errorf("the assistant gets the address %s", r.Referer())
				}
			}))
			t.Cleanup(assistant.Close)
			q := w.authorization(t, "Assistant", "http://127.0.0.1/callback")
			q.Set("redirect_uri", assistant.URL+"/callback")
			b := w.tab(t, "")
			b.Script(script)
			b.Open("/oauth/authorize?" + q.Encode())
			b.Fill("email", owner)
			b.Fill("password", password)
			b.Click("Sign in")
			b.Wait(`document.querySelector("h1").textContent == "Connect Assistant?"`)
			chosen := b.text(`[...document.querySelectorAll("[name=scopes]:checked")].map((e) => e.value).join()`)
			if chosen != "slices:read,user:read" {
				t.Errorf("at first it may %s", chosen)
			}
			b.Click("Allow")
			answer := <-returned
			if answer.Get("state") != "s 1" || answer.Get("iss") != w.url || answer.Get("error") != "" {
				t.Errorf("%v", answer)
			}
			tokens, err := w.oauth.Token(t.Context(), access.Request{}, url.Values{"grant_type": {oauth.GrantCode},
				"client_id": q["client_id"], "code": answer["code"], "code_verifier": {verifier},
				"redirect_uri": q["redirect_uri"]})
			if err != nil || tokens.Scope != "slices:read user:read" {
				t.Errorf("%+v (%v)", tokens, err)
			}
			b.Open("/oauth/authorize?" + q.Encode())
			b.Click("Deny")
			if denied := <-returned; denied.Get("error") != "access_denied" || denied.Has("code") ||
				denied.Get("state") != "s 1" {
				t.Errorf("%v", denied)
			}
		})
	}
}

// TestConsentPages: a request that is refused leads nowhere by itself; one with another redirect names none; none is
// shown in a frame; a form that is sent twice makes one key, and a choice of nothing is refused.
func TestConsentPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	q := w.authorization(t, "Assistant", "cursor://anysphere.cursor-mcp/oauth/callback")
	a := b.get("/oauth/authorize?" + q.Encode())
	a.wants(200, "Connect <bdi>Assistant</bdi>?", "<bdi>cursor:</bdi>", "Unknown: the name is its own claim")
	if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Error(policy)
	}
	fields := []string{"decision", "allow", "once", "1", "expiresAt", api.At(w.clock.now().Add(time.Hour)).String()}
	for name := range q {
		fields = append(fields, name, q.Get(name))
	}
	b.post("/oauth/authorize", fields...).wants(422, "Choose at least one.")
	fields = append(fields, "scopes", "slices:read", "scopes", "keys:manage", "withholdGuests", "true")
	shown := b.post("/oauth/authorize", fields...)
	shown.wants(200, `content="0;url=cursor://anysphere.cursor-mcp/oauth/callback?code=`,
		`href="cursor://anysphere.cursor-mcp/oauth/callback?code=`)
	b.post("/oauth/authorize", fields...).wants(409, "This was decided before")
	keys := b.get("/settings/keys")
	keys.wants(200, "Assistant (cursor:)")
	b.get(regexp.MustCompile(`(/settings/keys/key_[0-9a-z]+)">Assistant`).FindStringSubmatch(keys.body)[1]).wants(200,
		"Get no text of reporters without an account")
	q.Set("code_challenge_method", "plain")
	refused := b.get("/oauth/authorize?" + q.Encode())
	refused.wants(400, "cannot be connected",
		`href="cursor://anysphere.cursor-mcp/oauth/callback?error=invalid_request`)
	q.Set("redirect_uri", "https://evil.example/callback")
	unknown := b.get("/oauth/authorize?" + q.Encode())
	unknown.wants(400, "none of those that the client has registered")
	for what, a := range map[string]answer{"refused": refused, "unknown": unknown} {
		if strings.Contains(a.body, "http-equiv=\"refresh\"") ||
			strings.Contains(a.body, `href="https://evil.example`) {
			t.Errorf("%s: %s", what, a.body)
		}
	}
	b.header.Set("Sec-Fetch-Site", "cross-site")
	b.post("/oauth/authorize", fields...).wants(403)
}
