// Package reset is the page of somebody with a link to reset the password.
package reset

import (
	"embed"
	"net/http"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("reset", folder)

type data struct {
	Email    string
	Faults   page.Faults
	SignedIn *page.OtherAccount // in place of the form; nil when nobody is signed in to another account
}

// Show shows the form to whoever has the link. It refuses somebody who is signed in to another account.
func Show(q *page.Request) (page.Result, error) {
	email, err := q.Tracker.CheckResetLink(q.Context(), q.PathValue("token"))
	if err != nil {
		return page.Result{}, err
	}
	if q.Session != nil && q.Session.Profile.Email != email {
		return page.Refused(view, data{SignedIn: q.SignedIn()}, http.StatusForbidden)
	}
	return page.Show(view, data{Email: email})
}

// Reset sets the password and signs in.
func Reset(q *page.Request) (page.Result, error) {
	if shown, err := Show(q); err != nil || shown.Status == http.StatusForbidden {
		return shown, err
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
