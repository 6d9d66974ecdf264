// Package login is the page to sign in and the way to sign out.
package login

import (
	"embed"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("login", folder)

type data struct {
	Email, Next string
	NeedsSetup  bool   // nobody can sign in yet
	Code        string // of the refusal; empty without one
	Wait        time.Duration
	Reason      string                 // why a right password does not open the account; empty without one
	Choices     []tracker.SignInChoice // at whose providers people can sign in
	ByAddress   bool                   // whether the choices are found by the domain of an address
	Elsewhere   bool                   // whether everybody signs in at a provider
	Ended       string                 // the organisation at whose provider the browser may still be signed in; empty for none
}

// maxShown is the number of providers that the page lists. Of more, it lists those of the domain of an address.
const maxShown = 5

// choose lists the providers.
func (d *data) choose(q *page.Request) error {
	all, err := q.Tracker.SignInChoices(q.Context())
	d.Choices = all
	if d.ByAddress = len(all) > maxShown; d.ByAddress {
		_, domain, _ := strings.Cut(strings.ToLower(d.Email), "@")
		d.Choices = slices.DeleteFunc(all, func(c tracker.SignInChoice) bool { return !slices.Contains(c.Domains, domain) })
	}
	d.Elsewhere = len(all) == 1 && all[0].PasswordsOff
	return err
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
	values := q.URL.Query()
	d := data{Next: next, NeedsSetup: needsSetup, Email: values.Get("email"), Ended: values.Get("ended")}
	if err := d.choose(q); err != nil {
		return page.Result{}, err
	}
	d.Elsewhere = d.Elsewhere && !values.Has("password")
	if !slices.ContainsFunc(d.Choices, func(c tracker.SignInChoice) bool { return c.OrgID == d.Ended }) {
		d.Ended = ""
	}
	return page.Show(view, d)
}

// SignIn opens a session and leads to where its user wanted to go. It ends the session that the browser had, since no
// cookie names that one any more.
func SignIn(q *page.Request) (page.Result, error) {
	d := data{Email: q.PostForm.Get("email"), Next: q.Next(q.PostForm.Get("next"))}
	s, err := q.Tracker.SignIn(q.Context(), q.Client, page.SignIn{Email: d.Email, Password: q.PostForm.Get("password")})
	if err == nil {
		return page.Result{Location: d.Next, Session: &s}, q.EndFormerSession()
	}
	var p *api.Problem
	if !errors.As(err, &p) || !page.HasCode(err, api.CodeUnauthorized, api.CodeInvalidBody, api.CodeRateLimited,
		api.CodeUnavailable, api.CodeForbidden) {
		return page.Result{}, err
	}
	if p.Code == api.CodeForbidden {
		d.Reason = p.Detail
	}
	if err := d.choose(q); err != nil {
		return page.Result{}, err
	}
	d.Elsewhere = false
	d.Code, d.Wait = p.Code, p.RetryAfter
	status := p.Status
	if status == http.StatusUnauthorized {
		status = http.StatusUnprocessableEntity
	}
	return page.Result{Page: view, Data: d, Status: status, RetryAfter: p.RetryAfter}, nil
}

// SignOut ends the session.
func SignOut(q *page.Request) (page.Result, error) {
	to := "/login"
	if q.Session != nil {
		if q.Session.AtProvider {
			to += "?ended=" + q.Session.Caller.Organization.ID
		}
		if _, err := page.Call(q, q.Tracker.EndSession, api.EndSession{SessionID: q.Session.ID}); err != nil {
			return page.Result{}, err
		}
	}
	return page.Result{Location: to, Notice: "signed-out", SignOut: true}, nil
}
