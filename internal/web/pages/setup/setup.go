// Package setup is the first run: it creates the organisation of an empty instance, its owner and a workspace.
package setup

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("setup", folder)

type data struct {
	Fields page.SetupFields
	Faults page.Faults
	Token  string // of the first key, once it exists
	Ends   *api.Time
	Trial  page.Trial
}

// Show shows the form to whoever has the link.
func Show(q *page.Request) (page.Result, error) {
	if err := q.Setup.CheckSetup(q.Context(), q.PathValue("token")); err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{})
}

// SetUp creates everything, signs in and shows the first key.
func SetUp(q *page.Request) (page.Result, error) {
	f := page.SetupFields{Organization: q.PostForm.Get("organization"), Name: q.PostForm.Get("name"),
		Email: q.PostForm.Get("email"), Password: q.PostForm.Get("password"), TimeZone: q.Zone().String()}
	made, err := q.Setup.SetUp(q.Context(), q.Client, q.PathValue("token"), f)
	if faults, ok := page.FaultsOf(err); ok {
		return page.Invalid(view, data{Fields: f, Faults: faults})
	}
	if err != nil {
		return page.Result{}, err
	}
	d := data{Fields: f, Token: made.Key.Token, Ends: made.Key.ExpiresAt, Trial: q.NewKeyTrial(made.Key)}
	return page.Result{Page: view, Data: d, Session: &made.Session}, nil
}
