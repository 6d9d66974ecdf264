package suite

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
)

const (
	permittedOrigin = "https://bugs.example.com"
)

// send sends a request with an origin and a token. Those of a preflight have the method and headers that it asks for.
func send(t *testing.T, s *server, method, path, origin, token string, headers ...string) http.Header {
	t.Helper()
	q, err := http.NewRequest(method, s.URL+path, nil)
	must(t, err)
	q.Header.Set("Origin", origin)
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	res, err := transport.RoundTrip(q)
	must(t, err)
	must(t, res.Body.Close())
	res.Header.Set("Status", res.Status)
	return res.Header
}

// permits fails unless a response lets the pages of an origin read it, or of none when origin is empty.
func permits(t *testing.T, h http.Header, origin string) {
	t.Helper()
	assert.Equal(t, "Access-Control-Allow-Origin", h.Get("Access-Control-Allow-Origin"), origin)
	assert.Equal(t, "Access-Control-Allow-Credentials", h.Get("Access-Control-Allow-Credentials"), "")
	assert.Equal(t, "Origin in Vary", strings.Count(strings.Join(h.Values("Vary"), ", "), "Origin"), 1)
}

// TestOtherOrigins: pages of the origins of --cors-origin read every response below /v1, also an error. Those of
// another origin read none.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	const extension = "moz-extension://6e1f3b1a-5a0f-4b7c-9b0e-1f2a3c4d5e6f"
	s := newServer(t, "sqlite", t.TempDir(), "--cors-origin", "HTTPS://Bugs.Example.com:443", "--cors-origin",
		"http://127.0.0.1:5173",
		"--cors-origin", extension)
	s.start(t)
	t.Cleanup(s.kill)
	token := newOrg(t, s, "Origins").token
	preflight := []string{"Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers",
		"authorization,content-type,idempotency-key,if-match"}

	h := send(t, s, "OPTIONS", "/v1/slices/slc_1", permittedOrigin, "", preflight...)
	permits(t, h, permittedOrigin)
	assert.Equal(t, "status of a preflight", h.Get("Status"), "204 No Content")
	assert.Equal(t, "methods", h.Get("Access-Control-Allow-Methods"), "PATCH")
	for _, name := range []string{"authorization", "content-type", "idempotency-key", "if-match"} {
		assert.Contains(t, "headers", strings.ToLower(h.Get("Access-Control-Allow-Headers")), name)
	}
	for path, status := range map[string]string{"/v1/slices": "200", "/v1/slices/slc_0000000000000000": "404",
		"/v1/slices?nonsense=1": "400",
		"/v1/nonsense":          "404", "/v1//slices": "404", "/v1": "404"} {
		h := send(t, s, "GET", path, permittedOrigin, token)
		assert.Contains(t, path, h.Get("Status"), status)
		permits(t, h, permittedOrigin)
		assert.Contains(t, "exposed", strings.ToLower(h.Get("Access-Control-Expose-Headers")), "x-request-id")
	}
	h = send(t, s, "GET", "/v1/slices", permittedOrigin, "")
	assert.Contains(t, "without a key", h.Get("Status"), "401")
	permits(t, h, permittedOrigin)
	for _, origin := range []string{"http://127.0.0.1:5173", extension} {
		permits(t, send(t, s, "GET", "/v1/slices", origin, token), origin)
	}

	for _, stranger := range []string{"https://example.com", "http://bugs.example.com",
		"https://bugs.example.com.evil.example", "null",
		"https://bugs.example.com:8443", s.URL} {
		permits(t, send(t, s, "GET", "/v1/slices", stranger, token), "")
		permits(t, send(t, s, "OPTIONS", "/v1/slices", stranger, "", preflight...), "")
	}
	for _, path := range []string{"/login", "/v1x", "/healthz", "/docs"} {
		assert.Equal(t, path, send(t, s, "GET", path, permittedOrigin, "").Get("Access-Control-Allow-Origin"), "")
	}
	assert.Equal(t, "the document", send(t, s, "GET", "/openapi.json", "https://example.com", "").
		Get("Access-Control-Allow-Origin"), "*")
}

// TestNoOtherOrigin: without --cors-origin no page of another origin reads a response, and OPTIONS is no method.
func TestNoOtherOrigin(t *testing.T) {
	s := oneEngine(t)
	for _, method := range []string{"GET", "OPTIONS"} {
		h := send(t, s, method, "/v1/slices", permittedOrigin, "", "Access-Control-Request-Method", "GET")
		for name := range h {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s: %s", method, name, h.Get(name))
			}
		}
	}
}

// TestBrowserOtherOrigin: a page of another origin files a report with a key in Chromium, and reads the headers and
// an error. A page with the origin null reads nothing.
func TestBrowserOtherOrigin(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--cors-origin", "*")
	s.start(t)
	t.Cleanup(s.kill)
	o := newOrg(t, s, "Browser")
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/sandboxed" {
			w.Header().Set("Content-Security-Policy", "sandbox allow-scripts")
		}
		_, _ = w.Write([]byte("<!doctype html><title>Another origin</title><link rel=icon href=data:,>"))
	}))
	t.Cleanup(page.Close)
	tab := browsertest.Open(t, page.URL)
	tab.Open("/")
	call := func(method, path, body string) string {
		return `fetch("` + s.URL + path + `", {method: "` + method + `", headers: {authorization: "Bearer ` + o.token +
			`", "content-type": "application/json", "idempotency-key": "once"}, ` + body + `})
			.then((r) => [r.status, r.headers.get("etag") ? "ETag" : "", r.headers.get("x-request-id") ? "X-Request-Id" : ""].join(" ` +
			`"), () => "refused")`
	}
	file := call("POST", "/v1/slices", `body: JSON.stringify({workspaceId: "`+o.Workspace+
		`", summary: "From another origin"})`)
	assert.Equal(t, "filing", browsertest.Eval[string](tab, file), "201 ETag X-Request-Id")
	assert.Equal(t, "an error", browsertest.Eval[string](tab, call("DELETE", "/v1/slices/slc_0000000000000000", "")),
		"404  X-Request-Id")
	tab.Open("/sandboxed")
	assert.Equal(t, "with the origin null", browsertest.Eval[string](tab, file), "refused")
}
