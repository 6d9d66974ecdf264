// Package security is where a user changes the password and ends sessions.
package security

import (
	"embed"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("security", folder)

type data struct {
	Sessions []page.OpenSession
	Faults   page.Faults
	Email    string
}

// Show shows the form for the password, and the sessions.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (data, error) {
	sessions, err := q.Tracker.ListSessions(q.Context(), *q.Session)
	return data{Sessions: sessions, Email: q.Session.Profile.Email}, err
}

// ChangePassword changes the password, which ends the other sessions.
func ChangePassword(q *page.Request) (page.Result, error) {
	change := page.PasswordChange{CurrentPassword: q.PostForm.Get("currentPassword"), NewPassword: q.PostForm.Get("newPassword")}
	s, err := q.Tracker.ChangePassword(q.Context(), q.Client, *q.Session, change)
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
	if err := q.Tracker.EndSession(q.Context(), *q.Session, q.PathValue("sessionId")); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/security", "session-ended")
}

// EndOtherSessions ends all sessions of the user but this one.
func EndOtherSessions(q *page.Request) (page.Result, error) {
	if err := q.Tracker.EndOtherSessions(q.Context(), *q.Session); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/security", "sessions-ended")
}
