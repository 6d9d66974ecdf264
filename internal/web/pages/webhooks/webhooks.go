// Package webhooks is the list of the webhooks of a workspace in the settings.
package webhooks

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("webhooks", folder)

type data struct {
	Workspace page.Workspace
	Rows      []row
}

type row struct {
	page.WebhookRow
	Plot page.Plot
}

// List shows the webhooks of the selected workspace to its admins.
func List(q *page.Request) (page.Result, error) {
	v, err := input.Check(api.ListWebhooks{WorkspaceID: q.Workspace.ID})
	if err != nil {
		return page.Result{}, err
	}
	found, err := q.Tracker.WebhookRows(q.Context(), q.Session.Caller, v)
	if err != nil {
		return page.Result{}, err
	}
	d := data{Workspace: q.Workspace}
	for _, w := range found {
		d.Rows = append(d.Rows, row{w, page.NewPlot(w.Recent)})
	}
	return page.Show(view, d)
}
