// Package newpasskey is where a user adds a passkey.
package newpasskey

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("newpasskey", folder)

type data struct {
	Name    string
	Passkey api.PasskeyQuestion
	Faults  page.Faults
	Codes   []string // recovery codes, shown in place of the form
	Next    string
}

// Show shows the form, with the question for a new passkey.
func Show(q *page.Request) (page.Result, error) {
	d, err := newData(q)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

func newData(q *page.Request) (d data, err error) {
	d.Name = q.PostForm.Get("name")
	d.Passkey, err = page.Call(q, q.Tracker.BeginPasskey, api.BeginPasskey{})
	return d, err
}

// Add stores the passkey that the browser has made. A form without a question begins: it has proved who its sender is.
func Add(q *page.Request) (page.Result, error) {
	if !q.PostForm.Has("proof-state") || q.PostForm.Has("password") {
		return Show(q)
	}
	added, err := page.Call(q, q.Tracker.AddPasskey, api.AddPasskey{Body: api.NewPasskey{Name: q.PostForm.Get("name"),
		Passkey: page.AnswerOf(q), Device: q.Client.Device}})
	if err == nil {
		return page.Added(view, data{Codes: added.RecoveryCodes, Next: "/settings/security"}, added)
	}
	faults, invalid := page.FaultsOf(err)
	if !invalid {
		return page.Result{}, err
	}
	d, err := newData(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Faults = faults
	return page.Invalid(view, d)
}
