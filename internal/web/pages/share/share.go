// Package share is the form that shares a report, and the page that shows its link once.
package share

import (
	"embed"
	"maps"
	"net/url"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("share", folder)

type data struct {
	page.ShareForm
	Created *api.NewShare // shown in place of the form
}

// Show shows the form and the links of a report.
func Show(q *page.Request) (page.Result, error) {
	f, err := q.LoadShareForm(q.PathValue("reference"), nil)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{ShareForm: f})
}

// Create shares the report and shows the link.
func Create(q *page.Request) (page.Result, error) {
	reference := q.PathValue("reference")
	form := maps.Clone(q.PostForm)
	form.Set("expiresAt", q.ExpiresAt(q.PostForm["expiresAt"]))
	created, err := create(q, form)
	if err == nil {
		return page.Show(view, data{ShareForm: page.ShareForm{Reference: reference}, Created: &created})
	}
	state, status, err := page.Refuse(q.PostForm, err, api.CodeReplaySecret, api.CodeTooManyShares)
	if err != nil {
		return page.Result{}, err
	}
	f, err := q.LoadShareForm(reference, q.PostForm)
	if err != nil {
		return page.Result{}, err
	}
	f.FormState = state
	return page.Refused(view, data{ShareForm: f}, status)
}

func create(q *page.Request, form url.Values) (api.NewShare, error) {
	q.SetPathValue("sliceId", q.PathValue("reference"))
	v, err := page.Bind[api.CreateShare](q, form)
	if err != nil {
		return api.NewShare{}, err
	}
	return q.Tracker.CreateShare(q.Context(), q.Session.Caller, v)
}
