package oauthapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/httpserver"
	"bugslice/internal/oauth"
	"bugslice/internal/oauthapi"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/safehttp"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// world is the endpoints on a server, with a user who allows command lines.
type world struct {
	*httptest.Server
	oauth   *oauth.Server
	tracker *tracker.Tracker
	user    tracker.Session
	log     strings.Builder
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	o, err := storetest.Migrated("sqlite", t.TempDir())
	must(t, err)
	s, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	files, err := blob.Open("", t.TempDir(), os.Getenv)
	must(t, err)
	policy, err := safehttp.NewPolicy(nil)
	must(t, err)
	w := &world{Server: httptest.NewUnstartedServer(nil)}
	base := "http://" + w.Listener.Addr().String()
	tr, authority := tracker.New(tracker.Options{Store: access.Seal(s), Secrets: ring, Passwords: passwordtest.Weak(),
		BaseURL: base, Blobs: files})
	w.tracker, w.oauth = tr, oauth.New(oauth.Options{Store: access.Seal(s), Tracker: tr, BaseURL: base, Policy: policy})
	front := oauthapi.New(oauthapi.Options{Server: w.oauth, Limited: true})
	server := httpserver.New(httpserver.Options{Log: slog.New(slog.NewJSONHandler(&w.log, nil)),
		WriteProblem: front.WriteProblem})
	for _, prefix := range oauthapi.Prefixes {
		server.Mount(prefix, front, front.WriteProblem)
	}
	w.Config.Handler = server
	w.Start()
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	w.populate(t, operator.Operator{Operator: authority})
	return w
}

// populate adds an organisation, whose owner is signed in.
func (w *world) populate(t *testing.T, o operator.Operator) {
	t.Helper()
	first, err := o.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Test", Workspace: "Web",
		Owner: operator.NewUser{Email: "owner@test.example", WithToken: true}})
	must(t, err)
	c, err := w.tracker.Authenticate(t.Context(), first.Token)
	must(t, err)
	var opened tracker.NewSession
	must(t, o.In(c.Organization).InTransaction(t.Context(), func(tx *tracker.OperatorTx) (err error) {
		opened, err = tx.OpenSession(first.UserID, tracker.Client{})
		return err
	}))
	w.user, err = w.tracker.Session(t.Context(), tracker.Client{}, opened.Token)
	must(t, err)
}

// ask sends a request, and returns the status, the header and the JSON of the answer.
func (w *world) ask(t *testing.T, method, path, media, body string, header ...string) (
	int, http.Header, map[string]any,
) {
	t.Helper()
	q, err := http.NewRequest(method, w.URL+path, strings.NewReader(body))
	must(t, err)
	q.Header.Set("Content-Type", media)
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	res, err := w.Client().Do(q)
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	var answer map[string]any
	if len(text) > 0 {
		must(t, json.Unmarshal(text, &answer))
	}
	return res.StatusCode, res.Header, answer
}

const form = "application/x-www-form-urlencoded"

// TestErrors: each refusal has the status and the code of its standard, is JSON, and is stored nowhere.
func TestErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	device := "client_id=bugslice-cli&grant_type=" + url.QueryEscape(oauth.GrantDevice)
	for _, c := range []struct {
		path, media, body string
		status            int
		code              string
	}{
		{"/oauth/token", form, "", 400, "invalid_request"},
		{"/oauth/token", form, "client_id=x", 400, "invalid_request"},
		{"/oauth/token", form, "client_id=x&grant_type=password", 400, "unsupported_grant_type"},
		{"/oauth/token", form, "client_id=x&grant_type=authorization_code&code=y", 400, "invalid_grant"},
		{"/oauth/token", form, "client_id=x&grant_type=refresh_token&refresh_token=y", 400, "invalid_grant"},
		{"/oauth/token", form, device + "&device_code=y", 400, "invalid_grant"},
		{"/oauth/token", form, strings.Replace(device, "bugslice-cli", "x", 1), 400, "unauthorized_client"},
		{"/oauth/token", form, "client_id=x&client_id=x", 400, "invalid_request"},
		{"/oauth/token", "application/json", "{}", 400, "invalid_request"},
		{"/oauth/token?client_id=x", form, "grant_type=refresh_token", 400, "invalid_request"},
		{"/oauth/token", form, "client_id=" + strings.Repeat("x", 20<<10), 400, "invalid_request"},
		{"/oauth/token", form, "client_id=x&grant_type=authorization_code&code=%00", 400, "invalid_request"},
		{"/oauth/token", form, "client_id=x&grant_type=authorization_code&code=%ff", 400, "invalid_grant"},
		{"/oauth/device", form, "client_id=x", 400, "unauthorized_client"},
		{"/oauth/device", form, "client_id=bugslice-cli&scope=all", 400, "invalid_scope"},
		{"/oauth/revoke", form, "", 400, "invalid_request"},
		{"/oauth/register", "application/json", "{", 400, "invalid_client_metadata"},
		{"/oauth/register", "application/json", `{"redirect_uris":["javascript:alert(1)"]}`, 400,
			"invalid_redirect_uri"},
		{"/oauth/register", "application/json", `{"client_name":"` + strings.Repeat("x", 20<<10) + `"}`, 400,
			"invalid_request"},
	} {
		status, h, answer := w.ask(t, "POST", c.path, c.media, c.body)
		if status != c.status || answer["error"] != c.code || h.Get("Cache-Control") != "no-store" ||
			h.Get("Content-Type") != "application/json" {
			t.Errorf("%s %.60s: %d %v, want %d %s", c.path, c.body, status, answer, c.status, c.code)
		}
	}
	if status, _, _ := w.ask(t, "GET", "/oauth/token", form, ""); status != 405 {
		t.Errorf("GET /oauth/token: %d", status)
	}
	if status, _, _ := w.ask(t, "GET", "/.well-known/oauth-protected-resource/other", "", ""); status != 404 {
		t.Errorf("the metadata of no resource: %d", status)
	}
}

// TestMetadata: the documents name this server as the issuer, and what it does; pages of any origin read them, and
// register and fetch tokens without credentials.
func TestMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, _, server := w.ask(t, "GET", "/.well-known/oauth-authorization-server", "", "")
	if server["issuer"] != w.URL || server["authorization_endpoint"] != w.URL+"/oauth/authorize" ||
		server["authorization_response_iss_parameter_supported"] != true {
		t.Errorf("%v", server)
	}
	_, _, resource := w.ask(t, "GET", "/.well-known/oauth-protected-resource/mcp", "", "")
	if resource["resource"] != w.URL+"/mcp" || resource["authorization_servers"].([]any)[0] != server["issuer"] {
		t.Errorf("%v", resource)
	}
	status, h, client := w.ask(t, "POST", "/oauth/register", "application/json", `{"client_name":"Inspector",
		"redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"client_secret_post"}`, "Origin", "http://localhost:6274")
	if status != 201 || client["token_endpoint_auth_method"] != "none" || client["client_secret"] != nil {
		t.Errorf("%d %v", status, client)
	}
	preflight := []string{"Origin", "http://localhost:6274", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "mcp-protocol-version"}
	_, allowed, _ := w.ask(t, "OPTIONS", "/oauth/token", "", "", preflight...)
	for _, h := range []http.Header{h, allowed} {
		if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%v", h)
		}
	}
}

// TestRates: an address that asks too often is refused with the time to wait, and the log has none of what it has sent.
func TestRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 30 {
		status, h, answer := w.ask(t, "POST", "/oauth/device", form, "client_id=bugslice-cli&host=laptop")
		if status == 200 {
			continue
		}
		if status != 429 || answer["error"] != "too_many_requests" || h.Get("Retry-After") == "" || n < 15 {
			t.Errorf("request %d: %d %v", n, status, answer)
		}
		if strings.Contains(w.log.String(), "laptop") || strings.Contains(w.log.String(), "user_code") {
			t.Error(w.log.String())
		}
		return
	}
	t.Error("no request is refused")
}

// losing is a connection that loses the responses with a token.
type losing struct{ http.RoundTripper }

func (l losing) RoundTrip(q *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(q)
	if err == nil && q.URL.Path == oauth.TokenPath && res.StatusCode == http.StatusOK {
		err = errors.Join(errors.New("the connection is lost"), res.Body.Close())
	}
	return res, err
}

// TestLostToken: when the response with the token is lost, the login fails, and the key has ended.
func TestLostToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	choice := oauth.Choice{Scopes: []string{"slices:read"}, ExpiresAt: api.At(time.Now().Add(time.Hour)).String()}
	var made api.Key
	_, err := client.DeviceLogin(t.Context(), w.URL,
		client.DeviceLoginOptions{HTTP: &http.Client{Transport: losing{w.Client().Transport}},
			Show: func(p client.DevicePrompt) {
				var err error
				made, err = w.oauth.ApproveDevice(t.Context(), w.user, tracker.Client{}, p.Code, choice)
				must(t, err)
			}, Wait: func(context.Context, time.Duration) error { return nil }})
	details, detailsErr := w.tracker.KeyDetails(t.Context(), w.user.Caller, []api.Key{made})
	must(t, detailsErr)
	if err == nil || details[made.ID].RevokedAt == nil {
		t.Errorf("%v, %+v", err, details)
	}
}

// TestDeviceLogin: the client of a command line gets a key when the user has allowed it, and an error when the user
// has denied it.
func TestDeviceLogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	login := func(decide func(code string) error) (client.DeviceToken, int, error) {
		waits, code := 0, ""
		token, err := client.DeviceLogin(t.Context(), w.URL,
			client.DeviceLoginOptions{Host: "laptop", Scopes: []api.Scope{api.SlicesRead},
				Show: func(p client.DevicePrompt) { code = p.Code },
				Wait: func(ctx context.Context, _ time.Duration) error {
					if waits++; waits == 2 {
						must(t, decide(code))
					}
					return ctx.Err()
				}})
		return token, waits, err
	}
	choice := oauth.Choice{Scopes: []string{"slices:read"}, ExpiresAt: api.At(time.Now().Add(time.Hour)).String()}
	token, waits, err := login(func(code string) error {
		_, err := w.oauth.ApproveDevice(t.Context(), w.user, tracker.Client{}, code, choice)
		return err
	})
	must(t, err)
	if _, err := w.tracker.Authenticate(t.Context(), token.Token); err != nil || waits != 2 || len(token.Scopes) != 1 {
		t.Errorf("%d waits, %+v (%v)", waits, token, err)
	}
	_, _, err = login(func(code string) error {
		return w.oauth.DenyDevice(t.Context(), w.user, tracker.Client{},
			code)
	})
	if !errors.Is(err, client.ErrDenied) {
		t.Errorf("denied: %v", err)
	}
	_, err = client.DeviceLogin(t.Context(), w.URL, client.DeviceLoginOptions{
		Wait: func(context.Context, time.Duration) error { return nil }})
	if !errors.Is(err, client.ErrExpired) {
		t.Errorf("never decided: %v", err)
	}
}
