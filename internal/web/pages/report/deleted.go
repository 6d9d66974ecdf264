package report

import (
	"net/http"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// OrDeleted returns a handler that answers like another one, or, when the report is deleted and the reader may
// restore it, with the page that says so; nil for nil.
func OrDeleted(h page.Handler) page.Handler {
	if h == nil {
		return nil
	}
	return func(q *page.Request) (page.Result, error) {
		r, err := h(q)
		if page.HasCode(err, api.CodeNotFound) {
			return showDeleted(q, err)
		}
		return r, err
	}
}

// showDeleted offers to restore a deleted report. It answers any other one with the problem.
func showDeleted(q *page.Request, problem error) (page.Result, error) {
	r, err := q.Tracker.DeletedReport(q.Context(), q.Session.Caller, q.PathValue("reference"))
	if page.HasCode(err, api.CodeNotFound) {
		return page.Result{}, problem
	}
	if err != nil {
		return page.Result{}, err
	}
	d := &data{Deleted: &r}
	d.Reference, d.Summary = r.Reference, r.Summary
	return page.Result{Page: view, Data: d, Status: http.StatusGone}, nil
}
