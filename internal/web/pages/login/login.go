// Package login is the page to sign in and the way to sign out.
package login

import (
	"embed"
	"errors"
	"net/http"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("login", folder)

type data struct {
	Email, Next string
	Mails       bool   // whether the instance sends mails
	NeedsSetup  bool   // nobody can sign in yet
	Code        string // of the refusal; empty without one
	Wait        time.Duration
}

// Show shows the form, unless somebody is signed in.
func Show(q *page.Request) (page.Result, error) {
	next := q.Next(q.URL.Query().Get("next"))
	if q.Session != nil {
		return page.Redirect(next, "")
	}
	needsSetup, err := q.Setup.NeedsSetup(q.Context())
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{Next: next, NeedsSetup: needsSetup, Mails: q.Tracker.MailEnabled()})
}

// SignIn opens a session and leads to where its user wanted to go. It ends the session that the browser had, since no
// cookie names that one any more.
func SignIn(q *page.Request) (page.Result, error) {
	d := data{Mails: q.Tracker.MailEnabled(), Email: q.PostForm.Get("email"), Next: q.Next(q.PostForm.Get("next"))}
	s, err := q.Tracker.SignIn(q.Context(), q.Client, page.SignIn{Email: d.Email, Password: q.PostForm.Get("password")})
	if err == nil {
		return page.Result{Location: d.Next, Session: &s}, q.EndFormerSession()
	}
	var p *api.Problem
	if !errors.As(err, &p) || !page.HasCode(err, api.CodeUnauthorized, api.CodeInvalidBody, api.CodeRateLimited,
		api.CodeUnavailable) {
		return page.Result{}, err
	}
	d.Code, d.Wait = p.Code, p.RetryAfter
	status := p.Status
	if status == http.StatusUnauthorized {
		status = http.StatusUnprocessableEntity
	}
	return page.Result{Page: view, Data: d, Status: status, RetryAfter: p.RetryAfter}, nil
}

// SignOut ends the session.
func SignOut(q *page.Request) (page.Result, error) {
	if q.Session != nil {
		if _, err := page.Call(q, q.Tracker.EndSession, api.EndSession{SessionID: q.Session.ID}); err != nil {
			return page.Result{}, err
		}
	}
	return page.Result{Location: "/login", Notice: "signed-out", SignOut: true}, nil
}
