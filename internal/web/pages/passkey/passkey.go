// Package passkey is where a user gives a passkey another name.
package passkey

import (
	"embed"
	"slices"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("passkey", folder)

type data struct {
	api.Passkey
	Entered string
	Faults  page.Faults
}

func load(q *page.Request) (data, error) {
	all, err := page.Call(q, q.Tracker.ListFactors, api.ListFactors{})
	i := slices.IndexFunc(all.Passkeys, func(p api.Passkey) bool { return p.ID == q.PathValue("passkeyId") })
	if err == nil && i < 0 {
		err = api.NotFound("passkey")
	}
	if err != nil {
		return data{}, err
	}
	return data{Passkey: all.Passkeys[i], Entered: all.Passkeys[i].Name}, nil
}

// Show shows the form with the name.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

// Rename stores the name.
func Rename(q *page.Request) (page.Result, error) {
	in := api.RenamePasskey{PasskeyID: q.PathValue("passkeyId"), Body: api.PasskeyName{Name: q.PostForm.Get("name")}}
	_, err := page.Call(q, q.Tracker.RenamePasskey, in)
	if err == nil {
		return page.Redirect("/settings/security", "passkey-renamed")
	}
	faults, invalid := page.FaultsOf(err)
	if !invalid {
		return page.Result{}, err
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Entered, d.Faults = in.Body.Name, faults
	return page.Invalid(view, d)
}
