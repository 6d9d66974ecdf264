// Package newkey is the form that creates an API key, and the page that shows its token once.
package newkey

import (
	"embed"
	"maps"
	"net/url"
	"slices"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("newkey", folder)

// presets are choices of scopes for a purpose.
var presets = []struct {
	Name   string
	Scopes []api.Scope
}{
	{"read", []api.Scope{api.SlicesRead, api.WorkspacesRead, api.SpacesRead, api.UserRead}},
	{"ci", []api.Scope{api.SlicesRead, api.SlicesWrite}},
	{"agent", []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.SpacesRead, api.UserRead}},
	{"all", api.AllScopes()},
}

type data struct {
	Form url.Values
	page.FormState
	Expiry     page.Expiry
	Workspaces page.Options
	Presets    any
	Policy     page.KeyPolicy

	Created   *api.NewKey // shown in place of the form
	Workspace string
	Trial     page.Trial
}

// Show shows the form, filled in from the query.
func Show(q *page.Request) (page.Result, error) {
	form := q.URL.Query()
	policy, err := q.KeyPolicy()
	if err != nil {
		return page.Result{}, err
	}
	for _, p := range presets {
		if form.Get("preset") == p.Name {
			form["scopes"] = nil
			for _, s := range p.Scopes {
				form.Add("scopes", string(s))
			}
		}
	}
	if !form.Has("type") {
		form.Set("type", string(api.PAT))
		if !policy.Personal {
			form.Set("type", string(api.WST))
		}
	}
	if !form.Has("expiresAt") {
		form.Set("expiresAt", q.InDays(policy.Default(90)).String())
	}
	return page.Show(view, newData(q, form, policy))
}

// newData returns what the form shows.
func newData(q *page.Request, form url.Values, policy page.KeyPolicy) data {
	d := data{Form: form, Presets: presets, Policy: policy, FormState: page.NewFormState(form)}
	d.Expiry = q.NewExpiry(form["expiresAt"], policy.Days(30, 90, 365)...)
	d.Expiry.Never = policy.PersonalDays == 0 || policy.ServiceDays == 0
	administered := page.WorkspaceOptions(slices.DeleteFunc(slices.Clone(q.Workspaces), func(w page.Workspace) bool {
		return w.Role != api.RoleAdmin && w.Role != api.RoleOwner
	}))
	if form.Get("workspaceId") == "" && slices.Contains(administered,
		page.Option{Value: q.Workspace.ID, Text: q.Workspace.Name}) {
		d.Form.Set("workspaceId", q.Workspace.ID)
	}
	d.Workspaces = q.Offer(administered, form.Get("workspaceId"))
	return d
}

// Create creates a key and shows its token.
func Create(q *page.Request) (page.Result, error) {
	form := maps.Clone(q.PostForm)
	if form.Get("type") == string(api.PAT) { // without script the choice of the workspace is sent for every type
		form.Del("workspaceId")
	}
	form.Set("expiresAt", q.ExpiresAt(q.PostForm["expiresAt"]))
	v, err := page.Bind[api.CreateKey](q, form)
	var k api.NewKey
	if err == nil {
		k, err = q.Tracker.CreateKey(q.Context(), q.Session.Caller, v)
	}
	if err == nil {
		return page.Show(view, data{Created: &k, Workspace: q.WorkspaceName(k.WorkspaceID),
			Trial: q.NewKeyTrial(k)})
	}
	if page.HasCode(err, api.CodeNotFound) { // the workspace, since the form was shown
		err = api.InvalidMember("/workspaceId", "unknown",
			"you are no longer a member of this workspace; choose another one")
	}
	state, status, err := page.Refuse(q.PostForm, err, api.CodeReplaySecret, api.CodeForbidden)
	if err != nil {
		return page.Result{}, err
	}
	policy, err := q.KeyPolicy()
	if err != nil {
		return page.Result{}, err
	}
	d := newData(q, q.PostForm, policy)
	d.FormState = state
	return page.Refused(view, d, status)
}
