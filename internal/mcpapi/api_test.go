package mcpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugslice/api"
	"bugslice/client/clienttest"
	"bugslice/internal/assert"
)

// message is a request to the endpoint.
type message struct {
	token, host, origin, version, method string
	query                                string
	params                               map[string]any
	body                                 string // in place of the method
	verb                                 string // POST by default
}

// answer is the response to a message.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a message.
func send(t *testing.T, server *clienttest.Server, m message) answer {
	t.Helper()
	body := m.body
	if body == "" {
		if m.params == nil {
			m.params = map[string]any{}
		}
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": m.method, "params": m.params})
		if err != nil {
			t.Fatal(err)
		}
		body = string(text)
	}
	if m.verb == "" {
		m.verb = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), m.verb, server.URL+"/mcp"+m.query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range map[string]string{"Origin": m.origin, "MCP-Protocol-Version": m.version} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if m.token != "" {
		r.Header.Set("Authorization", "Bearer "+m.token)
	}
	if m.host != "" {
		r.Host = m.host
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// TestWhoMayCall: the endpoint refuses what has no key, what is sent by a page of another origin, and a Host that leads
// here by a foreign name.
func TestWhoMayCall(t *testing.T) {
	server := clienttest.New(t)
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	for name, c := range map[string]struct {
		message
		status int
	}{
		"a key":                       {message{token: server.Token}, 200},
		"no key":                      {message{}, 401},
		"a wrong key":                 {message{token: strings.Repeat("x", 40)}, 401},
		"an unknown key":              {message{token: server.Token[:len(server.Token)-2] + "zz"}, 401},
		"a foreign origin":            {message{token: server.Token, origin: "https://evil.example"}, 403},
		"the origin null":             {message{token: server.Token, origin: "null"}, 403},
		"the same host, another port": {message{token: server.Token, origin: "http://127.0.0.1:1"}, 403},
		"its own origin":              {message{token: server.Token, origin: server.URL}, 200},
		"a foreign host":              {message{token: server.Token, host: "evil.example" + port}, 403},
		"a foreign host without key":  {message{host: "evil.example"}, 403},
		"localhost":                   {message{token: server.Token, host: "localhost" + port}, 200},
		"another verb":                {message{token: server.Token, verb: http.MethodGet}, 405},
		"an unknown parameter":        {message{token: server.Token, query: "?readonly=true"}, 400},
		"a key in the URL":            {message{query: "?access_token=" + server.Token}, 401},
		"a large body":                {message{token: server.Token, body: strings.Repeat(" ", 1<<20+1)}, 413},
	} {
		c.method, c.version = "tools/list", "2025-11-25"
		got := send(t, server, c.message)
		assert.Equal(t, name, got.status, c.status)
		challenge := got.header.Get("WWW-Authenticate")
		if c.status != http.StatusUnauthorized {
			assert.Equal(t, name, challenge, "")
			continue
		}
		assert.Contains(t, name, challenge, `resource_metadata="`+server.URL+`/.well-known/oauth-protected-resource/mcp"`)
		assert.NotContains(t, name, got.body, "tools")
	}
	response, err := http.Get(server.URL + "/.well-known/oauth-protected-resource/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	assert.Equal(t, "metadata", response.StatusCode, 200)
}

// TestRevisions: clients of each revision of the protocol get the tools, which are private to their key.
func TestRevisions(t *testing.T) {
	server := clienttest.New(t)
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		got := send(t, server, message{token: server.Token, method: "initialize", params: map[string]any{
			"protocolVersion": version, "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "t", "version": "1"}}})
		assert.Contains(t, version, got.body, `"protocolVersion":"`+version+`"`, "find_reports lists")
		got = send(t, server, message{token: server.Token, version: version, method: "tools/list"})
		assert.Contains(t, version, got.body, `"cacheScope":"private"`, `"update_report"`)
		assert.Equal(t, "type", got.header.Get("Content-Type"), "application/json")
		assert.Equal(t, "caches", got.header.Get("Cache-Control"), "no-store")
	}
	session := connect(t, server, server.Token)
	assert.Equal(t, "newest revision", sdk.SupportedProtocolVersions()[0], "2026-07-28")
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "cache", list.CacheScope, "private")
	prompts, err := session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "prompts", len(prompts.Prompts), 2)
}

// TestNarrowed: a parameter of the URL leaves out the tools that change something.
func TestNarrowed(t *testing.T) {
	server := clienttest.New(t)
	got := send(t, server, message{token: server.Token, query: "?readOnly=true&withholdGuests=true", method: "tools/list",
		version: "2025-11-25"})
	assert.Contains(t, "tools", got.body, "find_reports")
	assert.NotContains(t, "tools", got.body, `"name":"update_report"`)
}

// bearer adds a key to requests.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connect returns a session of the newest revision.
func connect(t *testing.T, server *clienttest.Server, token string) *sdk.ClientSession {
	t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: server.URL + "/mcp",
		HTTPClient: &http.Client{Transport: bearer(token)}}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).
		Connect(context.WithoutCancel(t.Context()), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// TestRightsOfAKey: a key has the tools of its scopes; another tool does not exist for it, and a revoked key has none.
func TestRightsOfAKey(t *testing.T) {
	server := clienttest.New(t)
	c := server.Client()
	filed, err := c.CreateSlice(t.Context(), api.CreateSlice{Body: api.NewSlice{WorkspaceID: &server.Workspace,
		SliceFields: api.SliceFields{Summary: "one"}}})
	if err != nil {
		t.Fatal(err)
	}
	key, err := c.CreateKey(t.Context(), api.CreateKey{Body: api.KeyFields{Type: api.PAT, Name: "agent",
		Scopes: []api.Scope{api.SlicesRead}}})
	if err != nil {
		t.Fatal(err)
	}
	session := connect(t, server, key.Token)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(list.Tools, func(t *sdk.Tool) bool { return t.Name == "update_report" }) {
		t.Error("a key that only reads has a tool that changes")
	}
	_, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "update_report",
		Arguments: map[string]any{"ref": filed.Reference, "comment": "x"}})
	if err == nil {
		t.Error("a key that only reads has called a tool that changes")
	}
	read, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "bugslice://" + filed.Reference})
	if err != nil {
		t.Fatal(err)
	}
	assert.Contains(t, "resource", read.Contents[0].Text, "# "+filed.Reference)
	assert.Equal(t, "cache of a resource", read.CacheScope, "private")
	if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "bugslice://WEB-99"}); err == nil {
		t.Error("an unknown report was read")
	}
	if err := c.RevokeKey(t.Context(), api.RevokeKey{KeyID: key.ID}); err != nil {
		t.Fatal(err)
	}
	got := send(t, server, message{token: key.Token, method: "tools/list", version: "2025-11-25"})
	assert.Equal(t, "status for a revoked key", got.status, http.StatusUnauthorized)
}
