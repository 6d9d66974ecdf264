// Package reset is the page of somebody with a link to reset the password.
package reset

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("reset", folder)

type data struct {
	Email  string
	Faults page.Faults
}

// Show shows the form to whoever has the link.
func Show(q *page.Request) (page.Result, error) {
	email, err := check(q)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{Email: email})
}

// check returns the address of the account of the link. It refuses somebody who is signed in to another one.
func check(q *page.Request) (string, error) {
	email, err := q.Tracker.CheckResetLink(q.Context(), q.PathValue("token"))
	if err == nil && q.Session != nil && q.Session.Profile.Email != email {
		err = api.NewProblem(api.CodeForbidden, "This link is of another account than the one to which you are signed in. "+
			"Sign out, and open it again.")
	}
	return email, err
}

// Reset sets the password and signs in.
func Reset(q *page.Request) (page.Result, error) {
	if _, err := check(q); err != nil {
		return page.Result{}, err
	}
	opened, err := q.Tracker.ResetPassword(q.Context(), q.Client, q.PathValue("token"), q.PostForm.Get("password"))
	if faults, ok := page.FaultsOf(err); ok {
		email, err := q.Tracker.CheckResetLink(q.Context(), q.PathValue("token"))
		if err != nil {
			return page.Result{}, err
		}
		return page.Invalid(view, data{Email: email, Faults: faults})
	}
	return q.FinishSignIn(opened, err, "/", "password-changed")
}
