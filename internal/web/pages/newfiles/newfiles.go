// Package newfiles is the page that adds files to a report.
package newfiles

import (
	"embed"
	"net/http"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("newfiles", folder)

type data struct {
	Reference, Summary string
	Once               string
	Missing            bool // whether the form had no file
	Added              int
	Failed             []page.FileFailure
}

// Show shows the form.
func Show(q *page.Request) (page.Result, error) {
	d, err := newData(q)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

func newData(q *page.Request) (data, error) {
	v, err := input.Check(api.GetSlice{SliceID: q.PathValue("reference")})
	if err != nil {
		return data{}, err
	}
	r, err := q.Tracker.GetSlice(q.Context(), q.Session.Caller, v)
	return data{Reference: r.Reference, Summary: r.Summary, Once: page.Once()}, err
}

// Add adds the files of the form. The page that follows is the report, or this one with the files that failed.
func Add(q *page.Request) (page.Result, error) {
	d, err := newData(q)
	if err != nil {
		return page.Result{}, err
	}
	added, failed, err := q.StoreFiles(d.Reference, q.PostForm.Get("once"), false)
	if err != nil {
		return page.Result{}, err
	}
	d.Added, d.Failed = len(added), failed
	if d.Missing = d.Added == 0 && len(d.Failed) == 0; d.Missing || len(d.Failed) > 0 {
		return page.Result{Page: view, Data: d, Status: http.StatusUnprocessableEntity}, nil
	}
	if q.PostForm.Get("filed") != "" { // the form of a new report sends its files when it is filed
		return page.Redirect("/"+d.Reference, q.FiledNotice(d.Reference, nil))
	}
	return page.Redirect("/"+d.Reference, "files-added")
}
