package web

import (
	"strings"
	"testing"
)

// TestAgentsPage: the page names the endpoint of this instance in the configuration of each client.
func TestAgentsPage(t *testing.T) {
	w := newWorld(t, table, func(o *Options) { o.BaseURL, o.Insecure = "http://bugs.example.com", true })
	body := w.signedIn(t, member).get("/settings/agents").wants(200, "Claude Code", "Codex", "Cursor", "VS Code", "Zed",
		"Gemini CLI", "ChatGPT", "claude mcp add --transport http bugslice http://bugs.example.com/mcp").body
	if n := strings.Count(body, "http://bugs.example.com/mcp"); n != 7 {
		t.Errorf("the endpoint is named %d times, want 7", n)
	}
}
