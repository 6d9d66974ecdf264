package apidoc

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"bugslice/api"
)

//go:embed llms.txt
var guideText string

// guided are the operations of the guide for agents, each with what it is for and an example.
var guided = []struct{ operation, title, example string }{
	{api.OpListWorkspaces, "Workspaces and their ids", "GET /v1/workspaces"},
	{api.OpListSlices, "Find reports by words and filters",
		"GET /v1/slices?q=discount+code&status=open,in_progress&limit=25"},
	{api.OpCountSlices, "Count reports", "GET /v1/slices/counts?by=release"},
	{api.OpGetSlice, "Read a report with its evidence, suspicious requests first",
		"GET /v1/slices/WEB-42?maxTokens=4000&occurrence=1"},
	{api.OpListNetwork, "Captured requests with bodies", "GET /v1/slices/WEB-42/network?url=/api/orders"},
	{api.OpListConsole, "Captured console messages", "GET /v1/slices/WEB-42/console?level=error"},
	{api.OpListSimilar, "Reports that may be duplicates", "GET /v1/slices/WEB-42/similar"},
	{api.OpListMembers, "People who can be assigned", "GET /v1/workspaces/wsp_…/members"},
	{api.OpChangeSlice, "Change a report and comment on it, all or nothing",
		`POST /v1/slices/WEB-42/changes {"comment":"Fixed by 9f1c2ab.","patch":{"status":"resolved",` +
			`"resolution":"fixed","fixedInRelease":"2026.11.6","assigneeId":"usr_…"}}`},
	{api.OpListReleases, "Releases, the newest first; with firstRelease=newest or lastRelease=newest the list has their reports",
		"GET /v1/workspaces/wsp_…/releases"},
	{api.OpCreateSlice, "File a report", `POST /v1/slices {"workspaceId":"wsp_…","summary":"Checkout does nothing"}`},
	{api.OpGetStatistics, "Statistics of a workspace", "GET /v1/workspaces/wsp_…/statistics"},
}

// Guide returns the short guide for agents (llms.txt).
func Guide() ([]byte, error) {
	t, err := template.New("guide").Parse(guideText)
	if err != nil {
		return nil, err
	}
	type row struct {
		Title, Method, Path, Example string
		Markdown                     bool
	}
	var rows []row
	for _, g := range guided {
		op := api.Lookup(g.operation)
		_, example, _ := strings.Cut(g.example, " ")
		rows = append(rows, row{g.title, op.Method, op.Path, example, slices.Contains(op.Media, "text/markdown")})
	}
	var b bytes.Buffer
	err = t.Execute(&b, rows)
	return b.Bytes(), err
}

// Markdown is the reference as Markdown: an index, and a part for each operation.
type Markdown struct {
	Index      []byte
	Operations map[string][]byte // by id
}

// ReferenceMarkdown returns the reference of an OpenAPI document as Markdown.
func ReferenceMarkdown(document []byte) (Markdown, error) {
	var doc object
	if err := json.Unmarshal(document, &doc); err != nil {
		return Markdown{}, err
	}
	m := Markdown{Operations: map[string][]byte{}}
	var index bytes.Buffer
	index.WriteString("# Bugslice API\n\nA short guide is at /llms.txt. One operation: /docs?format=markdown&operation=ID\n")
	for _, s := range sections(doc) {
		fmt.Fprintf(&index, "\n## %s\n\n", s.Name)
		for i := range s.Operations {
			e := &s.Operations[i]
			fmt.Fprintf(&index, "- %s: %s %s: %s\n", e.ID, e.Method, e.Path, e.Summary)
			m.Operations[e.ID] = e.markdown()
		}
	}
	m.Index = index.Bytes()
	return m, nil
}

// markdown returns the description of an operation.
func (e *entry) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: %s\n\n`%s %s`\n\n%s\n", e.ID, e.Summary, e.Method, e.Path, description(e.Operation))
	if len(e.Params) > 0 {
		b.WriteString("\n## Parameters\n\n")
	}
	for _, p := range e.Params {
		fmt.Fprintf(&b, "- `%s` (%s): %s", p.Name, p.In, p.Description)
		if p.Values != "" {
			b.WriteString(" One of: " + p.Values + ".")
		}
		if p.Default != "" {
			b.WriteString(" Default: " + p.Default + ".")
		}
		b.WriteByte('\n')
	}
	for _, part := range []struct{ title, json string }{{"Request", e.Request}, {"Response", e.Response}} {
		if part.json != "" {
			fmt.Fprintf(&b, "\n## %s\n\n```json\n%s\n```\n", part.title, part.json)
		}
	}
	b.WriteString("\n## Errors\n\n")
	for _, c := range e.Codes {
		fmt.Fprintf(&b, "- %d `%s`: %s\n", c.Status, c.Code, c.Title)
	}
	return b.Bytes()
}
