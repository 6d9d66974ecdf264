// Package search is the page that finds reports, people, workspaces, views and pages by a text. The command palette shows
// its results.
package search

import (
	"embed"
	"net/url"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("search", folder)

type data struct {
	Text  string
	Found api.SearchResults
}

// Nothing returns whether a text finds nothing.
func (d data) Nothing(v *ui.View) bool {
	return d.Text != "" && len(d.Places(v)) == 0 && len(d.Found.Slices)+len(d.Found.Members)+len(d.Found.Workspaces)+len(d.Found.Views) == 0
}

// Places returns the pages with the words that the reader may open.
func (d data) Places(v *ui.View) []Place { return placesOf(d.Text, v.Exists) }

// More returns whether further reports may have the words.
func (d data) More() bool { return len(d.Found.Slices) == api.MaxFoundSlices }

// Reports returns the address of the reports with the text.
func (d data) Reports() string {
	return list("", "", query.Query{Terms: []query.Term{{Values: []query.Value{query.Name("", d.Text)}}}}.String())
}

// Why returns the part for which a report was found; nil when its row shows it.
func (data) Why(s api.FoundSlice) *page.Reason { return page.ReasonOf(s.Matches) }

// Assigned returns the address of the reports that are assigned to a member.
func (data) Assigned(m api.FoundMember) string {
	return list("", "", query.Query{}.With(query.Assignee, query.Bare(m.UserID)).String())
}

// Of returns the address of the reports of a workspace.
func (data) Of(w api.FoundWorkspace) string { return list(w.Key, "", "") }

// Shown returns the address of the list that shows a view.
func (data) Shown(v api.View) string { return list("", v.ID, v.Query) }

func list(workspace, viewID, text string) string {
	values := url.Values{}
	for name, value := range map[string]string{"workspace": workspace, "view": viewID, "q": text} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return (&url.URL{Path: "/reports", RawQuery: values.Encode()}).String()
}

// Show shows what the text finds, in one workspace or in all of them.
func Show(q *page.Request) (page.Result, error) {
	values := q.URL.Query()
	d := data{Text: values.Get("q")}
	v, err := input.Check(api.Search{Q: d.Text, WorkspaceID: values.Get("workspaceId")})
	if err != nil {
		return page.Result{}, err
	}
	if d.Found, err = q.Tracker.Search(q.Context(), q.Session.Caller, v); err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}
