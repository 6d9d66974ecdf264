// Package erasure is the page that counts the records with the name of a user, and erases the name and the e-mail
// address.
package erasure

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("erasure", folder)

type data struct {
	Person api.Person
	Counts api.ErasureCounts
	Name   string // that was typed
	Faults page.Faults
}

// Show shows what will be changed.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	userID := q.PathValue("userId")
	if d.Counts, err = page.Call(q, q.Tracker.CountErasedRecords, api.CountErasedRecords{UserID: userID}); err != nil {
		return d, err
	}
	p, err := page.Call(q, q.Tracker.GetPerson, api.GetPerson{UserID: userID})
	d.Person = p.Person
	return d, err
}

// Erase erases the user, when its name was typed.
func Erase(q *page.Request) (page.Result, error) {
	done, err := page.Call(q, q.Tracker.EraseUser,
		api.EraseUser{UserID: q.PathValue("userId"), Body: api.NamedConfirmation{Name: q.PostForm.Get("name")}})
	faults, invalid := page.FaultsOf(err)
	if invalid {
		d, err := load(q)
		if err != nil {
			return page.Result{}, err
		}
		d.Name, d.Faults = q.PostForm.Get("name"), faults
		return page.Invalid(view, d)
	}
	if err != nil {
		return page.Result{}, err
	}
	notice := "user-erased"
	if !done.Complete {
		notice = "user-being-erased"
	}
	return page.Redirect("/settings/people", notice)
}
