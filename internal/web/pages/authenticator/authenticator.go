// Package authenticator is where a user sets up an authenticator app.
package authenticator

import (
	"embed"
	"html/template"

	"bugslice/api"
	"bugslice/internal/factor"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("authenticator", folder)

type data struct {
	Key, State string
	Picture    template.HTML
	Faults     page.Faults
	Codes      []string // recovery codes, shown in place of the form
	Next       string
	Lacks      bool
}

// Show shows a new key, and the form that confirms it.
func Show(q *page.Request) (page.Result, error) {
	made, err := page.Call(q, q.Tracker.BeginAuthenticator, api.BeginAuthenticator{})
	if err != nil {
		return page.Result{}, err
	}
	d, err := newData(q, made)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

func newData(q *page.Request, made api.NewAuthenticator) (d data, err error) {
	d = data{Key: factor.Spaced(made.Key), State: made.State, Lacks: q.Session.Lacks}
	d.Picture, err = factor.Picture(made.Address)
	return d, err
}

// Confirm stores the key when a code of it is right. A form without a key begins: it has proved who its sender is.
func Confirm(q *page.Request) (page.Result, error) {
	state := q.PostForm.Get("state")
	if state == "" {
		return Show(q)
	}
	added, err := page.Call(q, q.Tracker.ConfirmAuthenticator, api.ConfirmAuthenticator{
		Body: api.AuthenticatorConfirmation{State: state, Code: q.PostForm.Get("code"), Device: q.Client.Device}})
	if err == nil {
		return page.Added(view, data{Codes: added.RecoveryCodes, Next: "/settings/security"}, added)
	}
	faults, invalid := page.FaultsOf(err)
	if !invalid {
		return page.Result{}, err
	}
	made, err := q.Tracker.NewAuthenticatorOf(q.Session.Caller, state)
	if err != nil {
		return page.Result{}, err
	}
	d, err := newData(q, made)
	d.Faults = faults
	if err != nil {
		return page.Result{}, err
	}
	return page.Invalid(view, d)
}
