// Package newrecordinglink is the form that asks somebody without an account for a recording, and the page that shows its link once.
package newrecordinglink

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

var view = ui.NewPage("newrecordinglink", folder)

const days = 7 // after which a link expires by default

type data struct {
	Workspace page.Workspace
	Form      url.Values
	page.FormState
	Expiry  page.Expiry
	Created *api.CreatedRecordingLink // shown in place of the form
}

// List returns the path of the list of links.
func (d data) List() string { return "/settings/shares/recordings?workspace=" + d.Workspace.Key }

func newData(q *page.Request, form url.Values) data {
	return data{Workspace: q.Workspace, Form: form, FormState: page.NewFormState(form), Expiry: q.NewExpiry(form["expiresAt"], 1, days, 30)}
}

// Show shows the form.
func Show(q *page.Request) (page.Result, error) {
	return page.Show(view, newData(q, url.Values{"expiresAt": {q.InDays(days).String()}, "maxReports": {"1"}}))
}

// Create creates a link, and shows it.
func Create(q *page.Request) (page.Result, error) {
	form := maps.Clone(q.PostForm)
	form.Set("expiresAt", q.ExpiresAt(q.PostForm["expiresAt"]))
	form.Set("workspaceId", q.Workspace.ID)
	v, err := page.Bind[api.CreateRecordingLink](q, form)
	if err == nil {
		var created api.CreatedRecordingLink
		if created, err = q.Tracker.CreateRecordingLink(q.Context(), q.Session.Caller, v); err == nil {
			return page.Show(view, data{Workspace: q.Workspace, Created: &created})
		}
	}
	d := newData(q, q.PostForm)
	state, status, err := page.Refuse(q.PostForm, err, api.CodeReplaySecret, api.CodeTooManyLinks)
	if err != nil {
		return page.Result{}, err
	}
	d.FormState = state
	return page.Refused(view, d, status)
}
