// Package invitation is the page of somebody who was invited: it creates the account and signs in.
package invitation

import (
	"embed"
	"net/http"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("invitation", folder)

type data struct {
	page.ReceivedInvitation
	Token    string
	Name     string
	Faults   page.Faults
	SignedIn *page.OtherAccount // in place of the form; nil when nobody is signed in
}

// Show shows the form to whoever has the link. Somebody who is signed in has an account, and signs out first.
func Show(q *page.Request) (page.Result, error) {
	received, err := q.Tracker.Invitation(q.Context(), q.PathValue("token"))
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{ReceivedInvitation: received, Token: q.PathValue("token"), SignedIn: q.SignedIn()})
}

// Accept creates the account and signs in. It refuses somebody who is signed in, whose session would end in silence.
func Accept(q *page.Request) (page.Result, error) {
	if q.Session != nil {
		shown, err := Show(q)
		shown.Status = http.StatusConflict
		return shown, err
	}
	in := page.AcceptedInvitation{Name: q.PostForm.Get("name"), Password: q.PostForm.Get("password")}
	opened, err := q.Tracker.AcceptInvitation(q.Context(), q.Client, q.PathValue("token"), in)
	if faults, ok := page.FaultsOf(err); ok {
		received, err := q.Tracker.Invitation(q.Context(), q.PathValue("token"))
		if err != nil {
			return page.Result{}, err
		}
		return page.Invalid(view, data{ReceivedInvitation: received, Token: q.PathValue("token"), Name: in.Name, Faults: faults})
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Result{Location: "/", Session: &opened}, nil
}
