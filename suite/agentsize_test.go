package suite

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// TestAgentsOnTheDemo: what each tool answers about the demo's ten reports with the most evidence is within its default
// budget, in tokens of o200k. The log has the table of docs/design/mcp.md.
func TestAgentsOnTheDemo(t *testing.T) {
	t.Parallel()
	out, err := os.Create(filepath.Join(t.TempDir(), "printed"))
	must(t, err)
	defer out.Close()
	s := newServer(t, "sqlite", t.TempDir(), "--demo")
	s.out = out
	s.start(t)
	defer s.kill()
	printed, err := os.ReadFile(out.Name())
	must(t, err)
	c := client{s, regexp.MustCompile(`svc_pat_\w+`).FindString(string(printed))}

	var listed struct {
		Data []struct {
			Reference string
			Evidence  struct{ Console, Network, Actions int }
		}
	}
	must(t, json.Unmarshal(c.want(t, 200, "GET", "/v1/slices?limit=100&label=captured", nil).Body, &listed))
	all := listed.Data
	entries := func(i int) int {
		e := all[i].Evidence
		return e.Console + e.Network + e.Actions
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return entries(b) - entries(a) })
	vocabulary, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil || len(order) < 10 {
		t.Fatalf("%d reports with evidence (%v)", len(order), err)
	}
	const budget = 4000 // of an answer by default
	count := func(tool string, arguments map[string]any) int {
		var a struct {
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		body := c.callTool(t, tool, arguments).Body
		if err := json.Unmarshal(body, &a); err != nil || a.Result.IsError || len(a.Result.Content) == 0 {
			t.Fatalf("%s %v: %s", tool, arguments, body)
		}
		n, err := vocabulary.Count(a.Result.Content[0].Text)
		if err != nil || n > budget {
			t.Errorf("%s %v answers with %d tokens (%v)", tool, arguments, n, err)
		}
		return n
	}
	t.Logf("%-10s %8s %11s %13s %14s %6s", "report", "entries", "get_report", "get_evidence", "update_report", "fetch")
	for _, i := range order[:10] {
		ref := all[i].Reference
		about := map[string]any{"ref": ref}
		t.Logf("%-10s %8d %11d %13d %14d %6d", ref, entries(i), count("get_report", about), count("get_evidence", about),
			count("update_report", map[string]any{"ref": ref, "priority": "low", "dry_run": true}),
			count("fetch", map[string]any{"id": ref}))
	}
	for tool, in := range map[string]map[string]any{"find_reports": {}, "search": {"query": "checkout"},
		"list_workspaces": {}, "release_report": {"workspace": "WEB"}} {
		t.Logf("%-16s %6d", tool, count(tool, in))
	}
}
