// Package email is the page of the link that proves an address: it asks, because scanners of mails open every link.
package email

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("email", folder)

type data struct {
	tracker.WantedEmail
	Done bool
}

// load returns what the link would change. It refuses somebody who is signed in to another account.
func load(q *page.Request) (data, error) {
	w, err := q.Tracker.WantedEmail(q.Context(), q.PathValue("token"))
	if err == nil && q.Session != nil && q.Session.Caller.ID != w.UserID {
		err = api.NewProblem(api.CodeForbidden, "This link is of another account than the one to which you are signed in. "+
			"Sign out, and open it again.")
	}
	return data{WantedEmail: w}, err
}

// Show asks.
func Show(q *page.Request) (page.Result, error) {
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

// Prove makes the address that of the user.
func Prove(q *page.Request) (page.Result, error) {
	d, err := load(q)
	if err == nil {
		err = q.Tracker.ProveEmail(q.Context(), q.Client, q.PathValue("token"))
	}
	if err != nil {
		return page.Result{}, err
	}
	d.Done = true
	return page.Show(view, d)
}

// Change sends the link to the address that the user wants to have.
func Change(q *page.Request) (page.Result, error) {
	in := api.ChangeEmail{Body: api.EmailChange{Email: q.PostForm.Get("email")}}
	if _, err := page.Call(q, q.Tracker.ChangeEmail, in); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/profile", "email-asked")
}
