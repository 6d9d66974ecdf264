// Package erasure is the page that counts the records with the name of a user, and erases the name and the e-mail address.
package erasure

import (
	"embed"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("erasure", folder)

type data struct {
	Person page.Person
	Counts page.ErasureCounts
	Name   string // that was typed
	Faults page.Faults
}

// Show shows what will be changed.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	userID := q.PathValue("userId")
	if d.Counts, err = q.Tracker.CountErasedRecords(q.Context(), *q.Session, userID); err != nil {
		return d, err
	}
	d.Person, _, err = q.Tracker.GetPerson(q.Context(), *q.Session, userID)
	return d, err
}

// Erase erases the user, when its name was typed.
func Erase(q *page.Request) (page.Result, error) {
	complete, err := q.Tracker.Erase(q.Context(), *q.Session, q.PathValue("userId"), q.PostForm.Get("name"))
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
	if !complete {
		notice = "user-being-erased"
	}
	return page.Redirect("/settings/people", notice)
}
