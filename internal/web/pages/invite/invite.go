// Package invite is the form that invites a person to the organisation, and the page that shows the link once.
package invite

import (
	"embed"
	"net/url"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("invite", folder)

type data struct {
	page.PeopleList
	Form    url.Values
	Offered page.Options // workspaces
	page.FormState
	Link  string // shown in place of the form
	Mails bool   // whether the instance sends mails
	Sent  bool   // whether it was sent by mail
}

// Show shows the form.
func Show(q *page.Request) (page.Result, error) {
	form := q.URL.Query()
	if !form.Has("workspaceIds") {
		form.Set("workspaceIds", q.Workspace.ID)
	}
	d, err := newData(q, form)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

// newData returns what the form shows. It refuses a user who may invite nobody.
func newData(q *page.Request, form url.Values) (data, error) {
	d := data{Mails: q.Tracker.MailEnabled(), Form: form, FormState: page.NewFormState(form)}
	var err error
	if d.PeopleList, err = page.Call(q, q.Tracker.ListPeople, api.ListPeople{Limit: 1}); err != nil {
		return d, err
	}
	if len(d.Workspaces)+len(d.Roles) == 0 {
		return d, api.NewProblem(api.CodeForbidden, "Only admins of a workspace or of the organisation invite people.")
	}
	var all []page.Option
	for _, w := range d.Workspaces {
		all = append(all, page.Option{Value: w.ID, Text: w.Name})
	}
	d.Offered = q.Offer(all, form["workspaceIds"]...)
	return d, nil
}

// Create creates an invitation and shows its link.
func Create(q *page.Request) (page.Result, error) {
	in := api.InviteUser{Idempotency: api.Idempotency{IdempotencyKey: q.PostForm.Get("once")}}
	f := api.InvitationFields{Email: q.PostForm.Get("email"), Role: api.Role(q.PostForm.Get("role")),
		WorkspaceRole: api.Role(q.PostForm.Get("workspaceRole")), WorkspaceIDs: q.PostForm["workspaceIds"]}
	if f.Role == "" {
		f.Role = api.RoleMember
	}
	if f.WorkspaceRole == "" {
		f.WorkspaceRole = api.RoleMember
	}
	in.Body = f
	link, err := page.Call(q, q.Tracker.InviteUser, in)
	if err == nil {
		d := data{Form: q.PostForm, Link: q.BaseURL + "/invitations/" + link.Token}
		if d.Sent = q.PostForm.Get("mail") == "true"; d.Sent {
			_, err = page.Call(q, q.Tracker.MailLink, api.MailLink{Body: api.MailedLink{Kind: api.LinkInvitation, Token: link.Token}})
		}
		d.Sent = d.Sent && err == nil // otherwise the link is there to be sent
		return page.Show(view, d)
	}
	state, status, err := page.Refuse(q.PostForm, err, api.CodeReplaySecret, api.CodeForbidden)
	if err != nil {
		return page.Result{}, err
	}
	d, err := newData(q, q.PostForm)
	if err != nil {
		return page.Result{}, err
	}
	d.FormState = state
	return page.Refused(view, d, status)
}
