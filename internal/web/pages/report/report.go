// Package report is the page of one report.
package report

import (
	"embed"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("report", folder)

// Show shows a report by its reference. A former reference leads to the one that it has now.
func Show(q *page.Request) (page.Result, error) {
	r, err := q.Backend.Report(q.Context(), q.Session.Caller, q.PathValue("reference"))
	if err != nil {
		return page.Result{}, err
	}
	if to := "/" + r.Reference; to != q.URL.Path {
		return page.Redirect(to, "")
	}
	return page.Show(view, r)
}
