// Package security is where a user changes the password and ends sessions.
package security

import (
	"embed"
	"net/url"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("security", folder)

type data struct {
	Sessions []api.OpenSession
	Faults   page.Faults
	Email    string
	Provider api.OwnProvider
	LinkPath string // leads to the provider and back, to link the account
}

// Show shows the form for the password, and the sessions.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (data, error) {
	sessions, err := page.Call(q, q.Tracker.ListSessions, api.ListSessions{})
	if err != nil {
		return data{}, err
	}
	own, err := page.Call(q, q.Tracker.GetOwnProvider, api.GetOwnProvider{})
	return data{Sessions: sessions.Data, Email: q.Session.Profile.Email, Provider: own, LinkPath: tracker.ProviderPath +
		q.Session.Caller.Organization.ID + "?" + url.Values{"for": {tracker.ToLink}, "next": {"/settings/security"}}.Encode()}, err
}

// Unlink ends the link of the account with the provider.
func Unlink(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.UnlinkIdentity, api.UnlinkIdentity{UserID: q.Session.Caller.ID}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/security", "identity-unlinked")
}

// ChangePassword changes the password, which ends the other sessions.
func ChangePassword(q *page.Request) (page.Result, error) {
	s, err := page.Call(q, q.Tracker.ChangePassword, api.ChangePassword{Body: api.PasswordChange{
		CurrentPassword: q.PostForm.Get("currentPassword"), NewPassword: q.PostForm.Get("newPassword"),
		Device: q.Client.Device}})
	if err == nil {
		return page.Result{Location: "/settings/security", Notice: "password-changed", Session: &s}, nil
	}
	faults, invalid := page.FaultsOf(err)
	if !invalid {
		return page.Result{}, err
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Faults = faults
	return page.Invalid(view, d)
}

// EndSession ends one session of the user.
func EndSession(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.EndSession, api.EndSession{SessionID: q.PathValue("sessionId")}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/security", "session-ended")
}

// EndOtherSessions ends all sessions of the user but this one.
func EndOtherSessions(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.EndOtherSessions, api.EndOtherSessions{}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/security", "sessions-ended")
}
