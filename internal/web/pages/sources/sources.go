// Package sources is the list of the sources of a workspace in the settings, from which visitors report.
package sources

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("sources", folder)

type data struct {
	Workspace page.Workspace
	Rows      []row
	Waiting   int64 // reports that wait
}

type row struct {
	api.Source
	Plot page.SourcePlot
}

const (
	days       = 30 // of the plot
	maxShown   = 50 // sources, which a workspace may have
	maxWaiting = 1000
)

// List shows the sources of the selected workspace to its admins.
func List(q *page.Request) (page.Result, error) {
	found, err := page.Call(q, q.Tracker.ListSources, api.ListSources{WorkspaceID: q.Workspace.ID, Paging: api.Paging{Limit: maxShown}})
	if err != nil {
		return page.Result{}, err
	}
	d := data{Workspace: q.Workspace}
	for _, s := range found.Data {
		usage, err := page.Call(q, q.Tracker.GetSourceUsage, api.GetSourceUsage{SourceID: s.ID, Days: days})
		if err != nil {
			return page.Result{}, err
		}
		d.Rows = append(d.Rows, row{s, page.NewSourcePlot(usage)})
	}
	if d.Waiting, err = q.Tracker.CountWaiting(q.Context(), q.Session.Caller, q.Workspace.ID, maxWaiting); err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}
