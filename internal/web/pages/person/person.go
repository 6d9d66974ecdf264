// Package person is the page of a user of the organisation: its memberships and roles, and what ends them.
package person

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

var view = ui.NewPage("person", folder)

type data struct {
	Person api.Person
	Roles  []api.Role   // that the user may give
	Others page.Options // workspaces to which the user may add the person
	Last   string       // the fault that refused a change: last_owner, last_admin or disabled
	Mails  bool         // whether the instance sends mails
	Sent   bool         // whether the link was sent by mail
	Link   string       // to reset the password, shown in place of the rest
}

// Show shows a user.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	p, err := page.Call(q, q.Tracker.GetPerson, api.GetPerson{UserID: q.PathValue("userId")})
	if err != nil {
		return d, err
	}
	d.Person, d.Roles, d.Mails = p.Person, p.Roles, q.Tracker.MailEnabled()
	member := map[string]bool{}
	for _, w := range p.Person.Workspaces {
		member[w.ID] = true
	}
	var others []page.Option
	for _, w := range p.Workspaces {
		if !member[w.ID] {
			others = append(others, page.Option{Value: w.ID, Text: w.Name})
		}
	}
	d.Others = q.Offer(others)
	return d, nil
}

// finish leads back to the page after a change, or shows why it was refused.
func finish(q *page.Request, err error, to, notice string) (page.Result, error) {
	if err == nil {
		return page.Redirect(to, notice)
	}
	for _, fault := range []string{tracker.FaultLastOwner, tracker.FaultLastAdmin, tracker.FaultDisabled} {
		if !tracker.HasFault(err, fault) {
			continue
		}
		d, err := load(q)
		if err != nil {
			return page.Result{}, err
		}
		d.Last = fault
		return page.Result{Page: view, Data: d, Status: http.StatusConflict}, nil
	}
	return page.Result{}, err
}

func pathOf(q *page.Request) string { return "/settings/people/" + q.PathValue("userId") }

// ChangeRole changes the role of the user in the organisation.
func ChangeRole(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.ChangeUserRole, api.ChangeUserRole{UserID: q.PathValue("userId"), Body: roleOf(q)})
	return finish(q, err, pathOf(q), "role-changed")
}

// PutMember makes the user a member of a workspace, or changes its role there.
func PutMember(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.PutMember,
		api.PutMember{WorkspaceID: q.PostForm.Get("workspaceId"), UserID: q.PathValue("userId"), Body: roleOf(q)})
	return finish(q, err, pathOf(q), "role-changed")
}

func roleOf(q *page.Request) api.RoleFields {
	return api.RoleFields{Role: api.Role(q.PostForm.Get("role"))}
}

// RemoveMember ends a membership of the user.
func RemoveMember(q *page.Request) (page.Result, error) {
	userID := q.PathValue("userId")
	_, err := page.Call(q, q.Tracker.RemoveMember,
		api.RemoveMember{WorkspaceID: q.PostForm.Get("workspaceId"), UserID: userID})
	to := pathOf(q)
	if _, gone := page.Call(q, q.Tracker.GetPerson, api.GetPerson{UserID: userID}); err == nil &&
		page.HasCode(gone, api.CodeNotFound) {
		to = "/settings/people" // the user shared no other workspace with the reader
	}
	return finish(q, err, to, "member-removed")
}

// Disable disables the user.
func Disable(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.DisableUser, api.DisableUser{UserID: q.PathValue("userId")})
	return finish(q, err, pathOf(q), "user-disabled")
}

// Enable lets the user in again.
func Enable(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.EnableUser, api.EnableUser{UserID: q.PathValue("userId")})
	return finish(q, err, pathOf(q), "user-enabled")
}

// Remove ends the memberships of the user and disables the user. A user who leaves is signed out.
func Remove(q *page.Request) (page.Result, error) {
	userID := q.PathValue("userId")
	_, err := page.Call(q, q.Tracker.RemoveUser, api.RemoveUser{UserID: userID})
	if err == nil && userID == q.Session.Caller.ID {
		return page.Result{Location: "/login", SignOut: true, Notice: "signed-out"}, nil
	}
	return finish(q, err, pathOf(q), "user-removed")
}

// RemoveFactors removes every second factor of the person.
func RemoveFactors(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.RemoveFactors, api.RemoveFactors{UserID: q.PathValue("userId")})
	return finish(q, err, "/settings/people/"+q.PathValue("userId"), "person-factors-removed")
}

// Reset creates a link to reset the password and shows it.
func Reset(q *page.Request) (page.Result, error) {
	link, err := page.Call(q, q.Tracker.CreateResetLink, api.CreateResetLink{UserID: q.PathValue("userId")})
	if err != nil {
		return finish(q, err, "", "")
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Link = q.BaseURL + "/reset/" + link.Token
	if q.PostForm.Get("mail") == "true" { // when that fails, the link is there to be sent
		_, err = page.Call(q, q.Tracker.MailLink, api.MailLink{Body: api.MailedLink{Kind: api.LinkReset, Token: link.Token}})
		d.Sent = err == nil
	}
	return page.Show(view, d)
}
