package oauth_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/oauth"
)

// TestAuthorizationRequests: a request that cannot be granted is refused at the redirect of its client, with the
// state and the issuer; one whose client or redirect is unknown nowhere.
func TestAuthorizationRequests(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Assistant", loopback)
		for what, c := range map[string]struct{ name, value, want string }{
			"a request":                {"", "", ""},
			"without a resource":       {"resource", "", ""},
			"the service":              {"resource", base, ""},
			"another resource":         {"resource", "https://other.example.com/mcp", "invalid_target"},
			"the token endpoint":       {"resource", base + "/oauth/token", "invalid_target"},
			"without a type":           {"response_type", "", "unsupported_response_type"},
			"implicit":                 {"response_type", "token", "unsupported_response_type"},
			"without PKCE":             {"code_challenge", "", "invalid_request"},
			"a plain challenge":        {"code_challenge_method", "plain", "invalid_request"},
			"the default method":       {"code_challenge_method", "", "invalid_request"},
			"a short challenge":        {"code_challenge", "abc", "invalid_request"},
			"unknown scopes":           {"scope", "admin", "invalid_scope"},
			"scopes of another server": {"scope", "openid offline_access slices:read", ""},
		} {
			a, err := w.Authorization(t.Context(), p.request(c.name, c.value))
			must(t, err)
			got := ""
			if a.Refused != nil {
				got = a.Refused.Code
			}
			if got != c.want {
				t.Errorf("%s: %q, want %q", what, got, c.want)
			}
			if c.want == "" {
				continue
			}
			q := query(t, a.Refusal(), loopback)
			if q.Get("error") != c.want || q.Get("state") != "s1" || q.Get("iss") != base || q.Has("code") {
				t.Errorf("%s: %s", what, a.Refusal())
			}
			_, err = w.Approve(t.Context(), w.session(t, owner), a, w.choice("slices:read"))
			refused(t, what+" that is allowed", err, c.want)
		}
		for what, c := range map[string]struct{ name, value, want string }{
			"no client":        {"client_id", "", "invalid_client"},
			"an unknown one":   {"client_id", "ocl_01ja8m2c9tf3qb6h0v5r4x7kyz", "invalid_client"},
			"the command line": {"client_id", oauth.CommandLine, "invalid_client"},
			"a redirect":       {"redirect_uri", "https://evil.example/callback", "invalid_request"},
		} {
			_, err := w.Authorization(t.Context(), p.request(c.name, c.value))
			refused(t, what, err, c.want)
		}
		twice := p.request()
		twice.Add("redirect_uri", "https://evil.example/callback")
		_, err := w.Authorization(t.Context(), twice)
		refused(t, "two redirects", err, "invalid_request")
	})
}

// query returns the parameters of an address, which begins with another one.
func query(t *testing.T, address, begin string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	if !strings.HasPrefix(address, begin+"?") {
		t.Errorf("%s does not lead to %s", address, begin)
	}
	return u.Query()
}

// TestAnswers: the answer of an approval names the issuer and the state, keeps the query of the redirect, and is the
// code alone.
func TestAnswers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Editor", "vscode://vendor.extension/callback?window=1")
		a, err := w.Authorization(t.Context(), p.request("state", "a b&c=d"))
		must(t, err)
		if a.Origin() != "vscode:" || !slices.Equal(a.Scopes, oauth.OfferedScopes) {
			t.Errorf("%s, %v", a.Origin(), a.Scopes)
		}
		address, err := w.Approve(t.Context(), w.session(t, owner), a, w.choice("slices:read"))
		must(t, err)
		q := query(t, address, "vscode://vendor.extension/callback")
		if len(q) != 4 || q.Get("window") != "1" || q.Get("state") != "a b&c=d" || q.Get("iss") != base ||
			len(q.Get("code")) < 26 {
			t.Error(address)
		}
		tokens, err := w.exchange(t, p, q.Get("code"))
		must(t, err)
		if name := w.keys(t, owner)[0].Name; !w.works(t, tokens.Access) || name != "Editor (vscode:)" {
			t.Error(name)
		}
	})
}

// TestRedirects: a redirect is one that the client has registered, but for the port of this machine; a client can
// register no address of plain http elsewhere, and none that a browser runs.
func TestRedirects(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for redirect, allowed := range map[string]bool{
			"https://claude.ai/api/mcp/auth_callback": true, "https://vscode.dev/redirect": true,
			"http://127.0.0.1:33418/":   true,
			"http://localhost/callback": true, "http://[::1]:8080/callback": true,
			"cursor://anysphere.cursor-mcp/oauth/callback":                true,
			"cursor://anysphere.cursor-retrieval/oauth/user-abc/callback": true,
			"vscode://vscode.github-authentication/did-authenticate":      true, "com.example.app:/callback": true,
			"java.script:alert(1)": false, "view-source.x:/x": false, "com.example.app:x": false, "x.:/x": false,
			"1.2:/x": false, "com.googleusercontent.apps.12-ab:/oauth2": true,
			"http://example.com/callback": false, "http://127.0.0.1.example.com/": false, "http://127.0.0.2/": false,
			"javascript:alert(1)": false, "data:text/html,x": false, "file:///etc/passwd": false, "cursor:alert": false,
			"https://user@example.com/": false, "https://example.com/#x": false, "https://example.com/#": false,
			"https:///callback": false,
			"/callback":         false, "": false, "https://example.com/\n": false, "https://exämple.com/": false,
			`https://example.com\@evil.example/`:               false,
			"https://example.com/" + strings.Repeat("x", 2000): false,
		} {
			_, err := w.Register(t.Context(), redirect, oauth.Metadata{Name: "x", Redirects: []string{redirect}})
			if want := map[bool]string{false: "invalid_redirect_uri"}[allowed]; code(err) != want {
				t.Errorf("%q: %v", redirect, err)
			}
		}
		p := w.register(t, "Assistant", "http://127.0.0.1:1/cb?a=1", "http://[::1]/cb", "https://example.com/cb")
		for redirect, allowed := range map[string]bool{
			"http://127.0.0.1:1/cb?a=1": true, "http://127.0.0.1:49152/cb?a=1": true,
			"http://127.0.0.1/cb?a=1": true, "http://[::1]:9/cb": true,
			"https://example.com/cb": true,
			"http://127.0.0.1:1/cb":  false, "http://127.0.0.1:1/cb?a=2": false, "http://127.0.0.1:1/other?a=1": false,
			"http://localhost:1/cb?a=1": false, "https://127.0.0.1:1/cb?a=1": false,
			"http://x@127.0.0.1:1/cb?a=1": false,
			"http://127.0.0.1:1/cb?a=1#x": false, "http://127.0.0.1.evil.example/cb?a=1": false,
			"https://example.com:8443/cb": false,
			"https://example.com/cb/":     false, "https://example.com/cb?x": false, "https://EXAMPLE.com/cb": false,
			"": false,
		} {
			_, err := w.Authorization(t.Context(), p.request("redirect_uri", redirect))
			if (err == nil) != allowed {
				t.Errorf("%q: %v", redirect, err)
			}
		}
		only := w.register(t, "One", "https://example.com/only")
		a, err := w.Authorization(t.Context(), only.request("redirect_uri", ""))
		if err != nil || a.Redirect != "https://example.com/only" {
			t.Errorf("the only redirect: %q (%v)", a.Redirect, err)
		}
	})
}

// TestRegistrationsAreBounded: an address registers at most 20 clients for which no key was made, of which each is
// deleted after a day. A client that is used stays.
func TestRegistrationsAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		used := w.register(t, "Assistant", loopback)
		_, err := w.exchange(t, used, w.approve(t, used, owner, w.choice("slices:read")))
		must(t, err)
		var unused program
		for range 20 {
			unused = w.register(t, "\u202eevil\nname", loopback)
		}
		m := oauth.Metadata{Name: "x", Redirects: []string{loopback}}
		_, err = w.Register(t.Context(), "192.0.2.9", m)
		refused(t, "the 21st", err, "temporarily_unavailable")
		if e, ok := errors.AsType[*oauth.Error](err); !ok || (24*time.Hour-e.RetryAfter).Abs() > time.Second {
			t.Errorf("try again: %+v", e)
		}
		_, err = w.Register(t.Context(), "192.0.2.10", m)
		must(t, err)
		a, err := w.Authorization(t.Context(), unused.request())
		must(t, err)
		if a.Client.Name != "evil name" {
			t.Errorf("%q", a.Client.Name)
		}
		w.pass(t, 24*time.Hour+time.Second)
		_, err = w.Authorization(t.Context(), unused.request())
		refused(t, "after a day", err, "invalid_client")
		_, err = w.Authorization(t.Context(), used.request())
		refused(t, "a used client", err, "")
		for what, bad := range map[string]oauth.Metadata{"invalid_redirect_uri": {Name: "x"},
			"invalid_client_metadata": {Redirects: []string{loopback}, GrantTypes: []string{"password"}}} {
			_, err := w.Register(t.Context(), "192.0.2.9", bad)
			refused(t, what, err, what)
		}
	})
}

// TestKeyNamesFit: the name of the key of any program is one that a key may have, and shows the end of a long host.
func TestKeyNamesFit(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		host := strings.Repeat("a", 60) + ".claude.ai." + strings.Repeat("b", 50) + ".evil.example"
		p := w.register(t, strings.Repeat("Ü", 200), "https://"+host+"/callback")
		w.approve(t, p, owner, w.choice("slices:read"))
		k := w.keys(t, owner)[0]
		if n := len([]rune(k.Name)); n > 100 || !strings.HasSuffix(k.Name, ".evil.example)") {
			t.Errorf("%d: %s", n, k.Name)
		}
		if k.Scopes[0] != api.SlicesRead {
			t.Error(k.Scopes)
		}
	})
}
