// Package newworkspace is the form that creates a workspace.
package newworkspace

import (
	"embed"
	"errors"
	"net/url"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("newworkspace", folder)

type data struct {
	Form   url.Values
	Faults page.Faults
	Once   string
}

// Show shows the form.
func Show(q *page.Request) (page.Result, error) {
	return page.Show(view, data{Form: url.Values{"timeZone": {q.Zone().String()}}, Once: page.Once()})
}

// Create creates a workspace with the user as its admin.
func Create(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.CreateWorkspace](q, q.PostForm)
	var w api.Workspace
	if err == nil {
		w, err = q.Tracker.CreateWorkspace(q.Context(), q.Session.Caller, v)
	}
	if err == nil {
		return page.Redirect("/settings/workspace?workspace="+w.Key, "workspace-created")
	}
	d := data{Form: q.PostForm, Once: page.Once()}
	faults, invalid := page.FaultsOf(err)
	var p *api.Problem
	switch {
	case invalid:
		d.Faults = faults
	case errors.As(err, &p) && p.Code == api.CodeWorkspaceKeyTaken && len(p.Errors) > 0:
		d.Faults = page.Faults{"key": p.Errors[0]}
	default:
		return page.Result{}, err
	}
	return page.Invalid(view, d)
}
