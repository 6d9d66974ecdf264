package web

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
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

// TestRecordingPage: an administrator makes a key that may only file reports in the workspace, and whose token is
// shown once. Members see the texts without one.
func TestRecordingPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, func(o *Options) { o.Origins = []string{"https://shop.example.com"} })
	const path = "/settings/record?workspace=WEB"
	shown := w.signedIn(t, newcomer).get(path).wants(200, "YOUR_KEY", "An administrator of the workspace makes a source",
		"<code>https://shop.example.com</code>")
	if strings.Contains(shown.body, "Make a key") || strings.Contains(shown.body, "Make a source") {
		t.Error("a member is offered what only an administrator may do")
	}
	b := w.signedIn(t, owner)
	made := b.post(path, "once", "first").wants(200, "Waiting for the first report", "/capture/v1.js", "sha384-", "expires")
	token := regexp.MustCompile(`svc_wst_\w+`).FindString(made.body)
	c, err := w.Authenticate(t.Context(), token)
	must(t, err)
	if !slices.Equal(c.Scopes, []api.Scope{api.SlicesWrite}) || c.WorkspaceID != w.web || !c.FilesOnly() || c.ExpiresAt == nil {
		t.Errorf("the key is %+v", c)
	}
	if again := b.post(path, "once", "first").wants(200, "was shown before"); strings.Contains(again.body, token) {
		t.Error("the token is shown twice")
	}
	watch := regexp.MustCompile(`hx-get="([^"]+)"`).FindStringSubmatch(made.body)
	b.get(html.UnescapeString(watch[1])).wants(200, "Waiting for the first report")
	filed, err := w.CreateSlice(t.Context(), c, valid(t, api.CreateSlice{Body: api.NewSlice{
		SliceFields: api.SliceFields{Summary: "It works"}}}))
	must(t, err)
	b.get(html.UnescapeString(watch[1])).wants(200, "arrived", `href="/`+filed.Reference+`"`)
	w.signedIn(t, stranger).get(html.UnescapeString(watch[1])).wants(404)
}
