// Package people is the list of the users of an organisation in the settings, with the invitations.
package people

import (
	"embed"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("people", folder)

type data struct {
	page.PeopleList
	Organization string
	CanInvite    bool
}

// pageSize is the number of users of a page.
const pageSize = 50

// List shows the users whom the user sees.
func List(q *page.Request) (page.Result, error) {
	listed, err := q.Backend.ListPeople(q.Context(), *q.Session, q.URL.Query().Get("after"), pageSize)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{PeopleList: listed, Organization: q.Session.Caller.Organization.Name,
		CanInvite: len(listed.Workspaces)+len(listed.Roles) > 0})
}

// RevokeInvitation ends an invitation.
func RevokeInvitation(q *page.Request) (page.Result, error) {
	if err := q.Backend.RevokeInvitation(q.Context(), *q.Session, q.PathValue("invitationId")); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/people", "invitation-revoked")
}
