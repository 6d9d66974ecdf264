// Package reportererase is the page on which a reporter takes back what was reported. A form asks first.
package reportererase

import (
	"embed"

	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("reportererase", folder)

type data struct {
	tracker.ReporterPage
	Base string // the path of the page of the report
	Done bool
}

func read(q *page.Request) (data, error) {
	p, err := q.Tracker.Visitors().Page(q.Context(), q.Share)
	return data{ReporterPage: p, Base: "/r/" + q.PathValue("secret")}, err
}

// Show asks whether everything shall be erased.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, read) }

// Erase erases everything and ends the page.
func Erase(q *page.Request) (page.Result, error) {
	d, err := read(q)
	if err == nil {
		err = q.Tracker.Visitors().Erase(q.Context(), q.Share)
	}
	if err != nil {
		return page.Result{}, err
	}
	d.Done = true
	return page.Show(view, d)
}
