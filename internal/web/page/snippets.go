package page

import (
	"embed"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/web/static"
)

//go:embed snippets
var snippets embed.FS

// Snippet is a function that verifies a message of a webhook, in a programming language.
type Snippet struct{ ID, Language, Text string }

// Snippets returns the function in each language.
func Snippets() (all []Snippet) {
	for _, s := range []Snippet{{"go", "Go", "verify.go.txt"}, {"node", "Node.js", "verify.mjs"},
		{"python", "Python", "verify.py"}} {
		text, err := snippets.ReadFile("snippets/" + s.Text)
		if err != nil {
			panic(err) // it is embedded
		}
		s.Text = string(text)
		all = append(all, s)
	}
	return all
}

// NoKey stands in the place of a token in a text that is shown without one.
const NoKey = "YOUR_KEY"

// FilingCurl returns a command that files a report with a console, a request and an environment, and prints its
// address, or why it is refused. Its workspace is that of the key when workspaceID is empty.
func (q *Request) FilingCurl(token, workspaceID string) string {
	member := ""
	if workspaceID != "" {
		member = "\n    \"workspaceId\": \"" + workspaceID + "\","
	}
	return q.snippet("first-report.sh.txt", "API_KEY", token, "WORKSPACE", member, "TIME", api.At(q.Now).String())
}

// Trial is a command that shows that a key works. Its text is empty for a key whose scopes allow none.
type Trial struct {
	Text  string
	Files bool // whether it files a report
}

// NewKeyTrial returns the command of a new key. It files a report when the key may do so.
func (q *Request) NewKeyTrial(k api.NewKey) Trial {
	if !slices.Contains(k.Scopes, api.SlicesWrite) {
		return Trial{Text: Curl(q.BaseURL, k)}
	}
	workspaceID := q.Workspace.ID
	if k.WorkspaceID != nil {
		workspaceID = *k.WorkspaceID
	}
	return Trial{q.FilingCurl(k.Token, workspaceID), true}
}

// RecorderTag returns the element that a page contains to be recorded.
func (q *Request) RecorderTag(token string) string {
	return q.snippet("record.html.txt", "API_KEY", token, "SCRIPT", "/capture/v1.js")
}

// PinnedTag returns the same element for the script of this version alone: the browser refuses another one.
func (q *Request) PinnedTag(token string) string {
	url, integrity := static.Capture()
	return q.snippet("record.html.txt", "API_KEY", token, "SCRIPT", url+`"
  integrity="`+integrity+`" crossorigin="anonymous`)
}

// PlaywrightModule returns a module whose tests file a report when they fail.
func (q *Request) PlaywrightModule(token string) string {
	return q.snippet("playwright.ts.txt", "API_KEY", token)
}

// snippet returns a text for other programs with the address of the instance, and with values in the place of words.
func (q *Request) snippet(name string, words ...string) string {
	text, err := snippets.ReadFile("snippets/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return strings.NewReplacer(append(words, "BASE_URL", q.BaseURL)...).Replace(strings.TrimSpace(string(text)))
}
