// Package security is where a user changes the password, adds and removes factors, and ends sessions.
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
	Factors  api.Factors
	Lacks    bool   // a second factor, so that the page shows nothing else
	Last     string // the code of the fault of a change that was refused
	Provider api.OwnProvider
	LinkPath string // leads to the provider and back, to link the account
}

// Low reports whether there are so few recovery codes that the user should make new ones.
func (d data) Low() bool { return d.Factors.RecoveryCodes < 3 }

// Show shows the form for the password, and the sessions.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (data, error) {
	factors, err := page.Call(q, q.Tracker.ListFactors, api.ListFactors{})
	d := data{Email: q.Session.Profile.Email, Factors: factors, Lacks: q.Session.Lacks}
	if err != nil || d.Lacks {
		return d, err
	}
	sessions, err := page.Call(q, q.Tracker.ListSessions, api.ListSessions{})
	if err != nil {
		return d, err
	}
	d.Sessions = sessions.Data
	d.Provider, err = page.Call(q, q.Tracker.GetOwnProvider, api.GetOwnProvider{})
	d.LinkPath = tracker.ProviderPath + q.Session.Caller.Organization.ID + "?" +
		url.Values{"for": {tracker.ToLink}, "next": {"/settings/security"}}.Encode()
	return d, err
}

// Unlink ends the link of the account with the provider.
func Unlink(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.UnlinkIdentity, api.UnlinkIdentity{UserID: q.Session.Caller.ID})
	if err != nil {
		return removed(q, err)
	}
	return page.Redirect("/settings/security", "identity-unlinked")
}

// RemoveAuthenticator removes the authenticator app.
func RemoveAuthenticator(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.RemoveAuthenticator, api.RemoveAuthenticator{})
	return removed(q, err)
}

// RemovePasskey removes a passkey.
func RemovePasskey(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.RemovePasskey, api.RemovePasskey{PasskeyID: q.PathValue("passkeyId")})
	return removed(q, err)
}

// RemovePassword removes the password, which ends the other sessions.
func RemovePassword(q *page.Request) (page.Result, error) {
	s, err := page.Call(q, q.Tracker.RemovePassword,
		api.RemovePassword{Body: api.DeviceMark{Device: q.Client.Device}})
	if err == nil {
		return page.Result{Location: "/settings/security", Notice: "password-removed", Session: &s}, nil
	}
	return removed(q, err)
}

// removed leads to the page, which says that a factor is removed, or why it, or a link, is not.
func removed(q *page.Request, err error) (page.Result, error) {
	if err == nil {
		return page.Redirect("/settings/security", "factor-removed")
	}
	for _, code := range []string{tracker.FaultLastWayIn, tracker.FaultFactorRequired} {
		if tracker.HasFault(err, code) {
			d, err := load(q)
			if err != nil {
				return page.Result{}, err
			}
			d.Last = code
			return page.Refused(view, d, 409)
		}
	}
	return page.Result{}, err
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
