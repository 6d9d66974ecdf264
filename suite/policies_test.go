package suite

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/operator"
)

// decides signs an owner of the organisation in, who saves policies by the page, without script.
func (o org) decides(t *testing.T) func(form url.Values) {
	t.Helper()
	email := fmt.Sprintf("decider-%d@example.com", time.Now().UnixNano())
	o.addUser(t, o.ID, operator.NewUser{Email: email, Password: passphrase, Role: api.RoleOwner})
	b := newVisitor(t, o.server)
	b.post(303, "/login", url.Values{"email": {email}, "password": {passphrase}})
	return func(form url.Values) {
		t.Helper()
		for _, s := range api.AllScopes() {
			form.Add("personalKeyScopes", string(s))
		}
		shown := b.post(200, "/settings/policies", form)
		for _, field := range hiddenField.FindAllStringSubmatch(shown, -1) {
			if field[1] == "version" {
				form.Set("version", field[2])
			}
		}
		form.Set("step", "save")
		b.post(303, "/settings/policies", form)
	}
}

// TestNetworksOfKeys: behind a proxy, a key is used by clients of the networks of its organisation alone: by the API,
// by assistants and in a stream that is open. What a client claims in front of the proxy counts for nothing, and a key
// is revoked from everywhere.
func TestNetworksOfKeys(t *testing.T) {
	ownServers(t, []string{"--trusted-proxies", "127.0.0.1", "--rate-limit", "off"}, func(t *testing.T, s *server) {
		o := newOrg(t, s, "networks")
		decide := o.decides(t)
		k, _ := o.newKey(t, map[string]any{"name": "k", "type": "pat", "scopes": api.AllScopes()})
		outside := []string{"X-Forwarded-For", "198.51.100.1"}
		events, stop := k.stream(t, "/v1/events?workspaceId="+o.Workspace, outside...)
		defer stop()
		decide(url.Values{"keyNetworks": {"203.0.113.0/24\n2001:db8::/32"}})
		for {
			e := next(t, events)
			if e.Event == "problem" || e.Event == "error" {
				if !strings.Contains(e.Data, api.CodeNetwork) {
					t.Errorf("the open stream ends with %s", e.Data)
				}
				break
			}
		}
		for hops, status := range map[string]int{"203.0.113.5": 200, "2001:db8::5": 200, "::ffff:203.0.113.5": 200,
			"198.51.100.1": 403, "203.0.113.5, 198.51.100.1": 403, "2001:db9::5": 403, "203.0.113.5.": 403, "": 403,
			"198.51.100.1, 203.0.113.5": 200, "203.0.113.5%eth0": 403, "127.0.0.1": 403} {
			a := k.do(t, "GET", "/v1/me", nil, "X-Forwarded-For", hops)
			if a.Status != status {
				t.Errorf("from %q: %d, want %d: %s", hops, a.Status, status, a.Body)
			}
			if status == 403 {
				a.has(t, members{"code": api.CodeNetwork})
			}
		}
		k.want(t, 403, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "x"}, outside...)
		k.want(t, 403, "POST", "/mcp", json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
			append(outside, "Accept", "application/json, text/event-stream")...)
		decide(url.Values{"keyNetworks": {"203.0.113.0/24"}, "personalKeyDays": {"30"}})
		me := k.want(t, 200, "GET", "/v1/me", nil, "X-Forwarded-For", "203.0.113.5").JSON(t)
		if expires := fmt.Sprint(me["key"]); !strings.Contains(expires, "expiresAt:20") {
			t.Errorf("the key does not say when it ends: %v", me)
		}
		a := k.want(t, 200, "POST", "/mcp", json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+
			`"name":"list_workspaces","arguments":{}}}`), "X-Forwarded-For", "203.0.113.5", "Accept",
			"application/json, text/event-stream")
		assert.Contains(t, "a tool", string(a.Body), "networks one")
		k.want(t, 204, "DELETE", "/v1/api-keys/self", nil, outside...)
		k.want(t, 401, "GET", "/v1/me", nil, "X-Forwarded-For", "203.0.113.5")
	})
}

// TestNetworksWithoutProxy: without a trusted proxy, the address is that of the connection, whatever a header says.
func TestNetworksWithoutProxy(t *testing.T) {
	ownServers(t, nil, func(t *testing.T, s *server) {
		o := newOrg(t, s, "direct")
		decide := o.decides(t)
		decide(url.Values{"keyNetworks": {"203.0.113.0/24"}})
		for _, header := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP", "True-Client-IP"} {
			o.want(t, 403, "GET", "/v1/me", nil, header, "203.0.113.5").has(t, members{"code": api.CodeNetwork})
		}
		decide(url.Values{"keyNetworks": {"127.0.0.0/8\n::1"}})
		o.want(t, 200, "GET", "/v1/me", nil, "X-Forwarded-For", "203.0.113.5")
		decide(url.Values{})
		o.want(t, 200, "GET", "/v1/me", nil)
	})
}
