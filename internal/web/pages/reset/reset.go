// Package reset is the page of somebody with a link to reset the password.
package reset

import (
	"embed"

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
	email, err := q.Tracker.CheckResetLink(q.Context(), q.PathValue("token"))
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{Email: email})
}

// Reset sets the password and signs in.
func Reset(q *page.Request) (page.Result, error) {
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
