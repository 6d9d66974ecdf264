package suite

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// callTool calls a tool of agents.
func (c client) callTool(t *testing.T, name string, arguments map[string]any) answer {
	t.Helper()
	body := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": arguments}}
	return c.do(t, "POST", "/mcp", body, "Accept", "application/json, text/event-stream", "Content-Type",
		"application/json")
}

// TestAgentsHaveTheRateOfTheirKey: requests of agents and the operations of their tools count against the rate of
// the key, which they share with the API.
func TestAgentsHaveTheRateOfTheirKey(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "20")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "agents")
	calls, refused := 0, ""
	for refused == "" && calls < 20 {
		a := o.callTool(t, "find_reports", map[string]any{})
		var out struct{ Result struct{ IsError bool } }
		_ = json.Unmarshal(a.Body, &out)
		switch {
		case a.Status == 429:
			refused = "request"
		case out.Result.IsError:
			refused = "operation"
			assert.Contains(t, "refusal", string(a.Body), "requests a minute")
		case a.Status != 200:
			t.Fatalf("%d %s", a.Status, a.Body)
		default:
			calls++
		}
	}
	if refused == "" || calls < 5 || calls > 10 {
		t.Errorf("%d calls of two requests each before a %q was refused", calls, refused)
	}
	assert.Equal(t, "status of the API", o.do(t, "GET", "/v1/me", nil).Status, 429)
}

// TestAgentsOfOthers: agents see nothing of other organisations, by id, reference or word, and of a workspace only
// what its key reads.
func TestAgentsOfOthers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o, other := newOrg(t, s, "agents-one"), newOrg(t, s, "agents-two")
		filed := o.want(t, 201, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace,
			"summary": "zebracrossing fails"})
		id := filed.get(t, "id")
		for name, in := range map[string]map[string]any{"get_report": {"ref": id}, "fetch": {"id": id},
			"get_evidence": {"ref": id}, "update_report": {"ref": id, "comment": "x"},
			"find_reports": {"workspace": o.Workspace}} {
			a := other.callTool(t, name, in)
			if !strings.Contains(string(a.Body), `"isError":true`) || strings.Contains(string(a.Body), "zebracrossing") {
				t.Errorf("%s: %s", name, a.Body)
			}
		}
		for _, in := range []map[string]any{{"text": "zebracrossing"}, {}} {
			a := other.callTool(t, "find_reports", in)
			assert.NotContains(t, fmt.Sprint(in), string(a.Body), "zebracrossing fails")
		}
		assert.Contains(t, "own", string(o.callTool(t, "get_report", map[string]any{"ref": id}).Body), "zebracrossing")
	})
}

// TestFilingKeyIsNoAgent: a key that files only reaches no tool, and a request with it is told why.
func TestFilingKeyIsNoAgent(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "filing")
		key, _ := o.newKey(t, map[string]any{"name": "page", "type": "wst", "workspaceId": o.Workspace,
			"scopes": []any{"slices:write"}, "filesOnly": true})
		filed := key.want(t, 201, "POST", "/v1/slices", map[string]any{"summary": "from a page"}).JSON(t)
		for _, request := range []struct{ method, path string }{{"POST", "/mcp"}, {"GET", "/v1/me"},
			{"GET", "/v1/slices/" + filed["id"].(string)}, {"POST", "/v1/tests/runs"}, {"DELETE", "/v1/api-keys/self"}} {
			a := key.want(t, 403, request.method, request.path, map[string]any{})
			assert.Contains(t, request.path, string(a.Body), "files reports only")
		}
	})
}

// TestKeysWithholdGuests: agents with a key that withholds text of people without an account get neither the text nor the
// comments of an imported report; those with another key get both.
func TestKeysWithholdGuests(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "guests")
		issues := jsonFile(t, []any{issue(1, map[string]any{"title": "zebracrossing fails", "body": "zebracrossing"})})
		comments := jsonFile(t, []any{said(1, "zebracrossing", "2024-03-02T09:00:00Z")})
		s.cli(t, "admin", "import", issues, "--comments", comments, "--github", "acme/shop", "--into", o.Workspace)
		fields := map[string]any{"name": "agent", "type": "pat", "scopes": []any{"slices:read", "workspaces:read"},
			"withholdGuests": true}
		withholds, _ := o.newKey(t, fields)
		ref := o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace, nil).JSON(t)["data"].([]any)[0].(map[string]any)
		for name, in := range map[string]map[string]any{"find_reports": {}, "get_report": {"ref": ref["id"]},
			"get_evidence": {"ref": ref["id"]}, "search": {"query": "fails"}, "fetch": {"id": ref["id"]}} {
			assert.NotContains(t, name, string(withholds.callTool(t, name, in).Body), "zebracrossing")
			if name != "get_evidence" { // there is none
				assert.Contains(t, name, string(o.callTool(t, name, in).Body), "zebracrossing")
			}
		}
	})
}
