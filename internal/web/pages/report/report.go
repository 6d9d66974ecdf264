// Package report is the page of one report.
package report

import (
	"embed"
	"net/url"
	"strconv"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("report", folder)

// Show shows a report by its reference. Another form of the reference, such as a former one, leads to the one that it has
// now.
func Show(q *page.Request) (page.Result, error) {
	r, err := q.Backend.Report(q.Context(), q.Session.Caller, q.PathValue("reference"))
	if err != nil {
		return page.Result{}, err
	}
	if to := (url.URL{Path: "/" + r.Reference, RawQuery: q.URL.RawQuery}); to.Path != q.URL.Path {
		return page.Redirect(to.String(), "")
	}
	occurrence, _ := strconv.ParseInt(q.URL.Query().Get("occurrence"), 10, 64)
	stage, err := q.LoadStage(r.Slice, max(occurrence, 0))
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{r, stage})
}

// data is a report with what was seen of it.
type data struct {
	page.Report
	Stage page.Stage
}
