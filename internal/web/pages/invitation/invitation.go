// Package invitation is the page of somebody who was invited: it creates the account and signs in.
package invitation

import (
	"embed"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("invitation", folder)

type data struct {
	page.ReceivedInvitation
	Name   string
	Faults page.Faults
}

// Show shows the form to whoever has the link.
func Show(q *page.Request) (page.Result, error) {
	received, err := q.Tracker.Invitation(q.Context(), q.PathValue("token"))
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{ReceivedInvitation: received})
}

// Accept creates the account and signs in.
func Accept(q *page.Request) (page.Result, error) {
	in := page.AcceptedInvitation{Name: q.PostForm.Get("name"), Password: q.PostForm.Get("password")}
	opened, err := q.Tracker.AcceptInvitation(q.Context(), q.Client, q.PathValue("token"), in)
	if faults, ok := page.FaultsOf(err); ok {
		received, err := q.Tracker.Invitation(q.Context(), q.PathValue("token"))
		if err != nil {
			return page.Result{}, err
		}
		return page.Invalid(view, data{ReceivedInvitation: received, Name: in.Name, Faults: faults})
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Result{Location: "/", Session: &opened}, q.EndFormerSession()
}
