// Package report is the page of one report.
package report

import (
	"embed"
	"net/url"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("report", folder)

// data is what the page shows.
type data struct {
	page.Report
	Evidence *page.Evidence
	Share    page.ShareForm
}

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
	e, err := q.ReadEvidence(q.EvidenceOf(r.ID), r.ID, r.Reference, page.AllEvidence)
	if err != nil {
		return page.Result{}, err
	}
	if q.WantsPanel() {
		return e.Fragment()
	}
	shown := int64(0)
	if o := e.Captured.Occurrence; o.HasEvidence {
		shown = o.Number
	}
	if e.Stage, err = q.LoadStage(r.Slice, shown); err != nil {
		return page.Result{}, err
	}
	share, err := q.LoadShareForm(r.Reference, nil)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{r, e, share})
}
