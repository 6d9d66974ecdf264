// Package people is the list of the users of an organisation in the settings, with the invitations.
package people

import (
	"embed"
	"net/url"

	"bugslice/api"
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
	Text         string // that is searched for
	Searchable   bool   // whether there are more people than on one page
	More         string // the address of the next page; empty on the last one
}

// pageSize is the number of users of a page.
const pageSize = 50

// List shows the users whom the user sees.
func List(q *page.Request) (page.Result, error) {
	in := api.ListPeople{Text: q.URL.Query().Get("q"), After: q.URL.Query().Get("after"), Limit: pageSize}
	listed, err := page.Call(q, q.Tracker.ListPeople, in)
	if err != nil && !page.HasCode(err, api.CodeInvalidParameter) { // a text without letters is the name of nobody
		return page.Result{}, err
	}
	d := data{PeopleList: listed, Organization: q.Session.Caller.Organization.Name, CanInvite: len(listed.Workspaces)+
		len(listed.Roles) > 0,
		Text: in.Text, Searchable: in.Text != "" || in.After != "" || listed.Next != ""}
	if listed.Next != "" {
		d.More = "?" + url.Values{"q": {in.Text}, "after": {listed.Next}}.Encode()
	}
	return page.Show(view, d)
}

// RevokeInvitation ends an invitation.
func RevokeInvitation(q *page.Request) (page.Result, error) {
	in := api.RevokeInvitation{InvitationID: q.PathValue("invitationId")}
	if _, err := page.Call(q, q.Tracker.RevokeInvitation, in); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/people", "invitation-revoked")
}
