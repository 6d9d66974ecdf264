// Package email is the page of the link that proves an address: it asks, because scanners of mails open every link.
package email

import (
	"embed"
	"net/http"

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
	Done     bool
	SignedIn *page.OtherAccount // in place of the form; nil when nobody is signed in to another account
}

// load returns what the link would change, and nothing of that to somebody who is signed in to another account.
func load(q *page.Request) (data, error) {
	w, err := q.Tracker.WantedEmail(q.Context(), q.PathValue("token"))
	if err == nil && q.Session != nil && q.Session.Caller.ID != w.UserID {
		return data{SignedIn: q.SignedIn()}, nil
	}
	return data{WantedEmail: w}, err
}

// Show asks. It refuses somebody who is signed in to another account.
func Show(q *page.Request) (page.Result, error) {
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	return show(d)
}

func show(d data) (page.Result, error) {
	if d.SignedIn != nil {
		return page.Refused(view, d, http.StatusForbidden)
	}
	return page.Show(view, d)
}

// Prove makes the address that of the user.
func Prove(q *page.Request) (page.Result, error) {
	d, err := load(q)
	if err == nil && d.SignedIn != nil {
		return show(d)
	}
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
