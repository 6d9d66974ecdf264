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
