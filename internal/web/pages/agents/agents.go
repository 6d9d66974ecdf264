// Package agents is the page of the settings that says how agents are connected (MCP).
package agents

import (
	"embed"
	"strconv"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("agents", folder)

type data struct {
	Endpoint string
	Clients  []client
}

// client is a program that connects to the endpoint.
type client struct {
	ID, Name string
	Where    string // the configuration belongs there
	Text     string
	SignIn   string // how the program signs in; empty when it asks by itself
}

// Show shows the configuration of each client with the address of the instance.
func Show(q *page.Request) (page.Result, error) {
	endpoint := q.BaseURL + "/mcp"
	quoted := strconv.Quote(endpoint)
	return page.Show(view, data{endpoint, []client{
		{"claude", "Claude Code", "In a terminal", "claude mcp add --transport http bugslice " + endpoint, "Then enter /mcp."},
		{"codex", "Codex", "In a terminal", "codex mcp add bugslice --url " + endpoint, "Then run codex mcp login bugslice."},
		{"cursor", "Cursor", ".cursor/mcp.json", `{"mcpServers": {"bugslice": {"url": ` + quoted + `}}}`, ""},
		{"vscode", "VS Code", ".vscode/mcp.json", `{"servers": {"bugslice": {"type": "http", "url": ` + quoted + `}}}`, ""},
		{"zed", "Zed", "settings.json", `{"context_servers": {"bugslice": {"url": ` + quoted + `}}}`, ""},
		{"gemini", "Gemini CLI", "In a terminal", "gemini mcp add --transport http bugslice " + endpoint,
			"Then enter /mcp auth bugslice."},
		{"chatgpt", "ChatGPT", "Settings, Apps, in developer mode: Create", endpoint,
			"The address must be public, and begin with https."},
		{"stdio", "A program that starts commands", "Its configuration",
			`{"mcpServers": {"bugslice": {"command": "bugslice", "args": ["mcp"]}}}`,
			"Run bugslice auth login before."},
	}})
}
