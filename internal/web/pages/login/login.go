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
	Mails       bool   // whether the instance sends mails
	NeedsSetup  bool   // nobody can sign in yet
	Code        string // of the refusal; empty without one
	Wait        time.Duration
	ByPasskey   bool // whether a passkey was refused
	Passkey     api.PasskeyQuestion

	Reason    string                 // why what was shown does not open the account; empty without one
	Choices   []tracker.SignInChoice // at whose providers people can sign in
	ByAddress bool                   // whether the choices are found by the domain of an address
	Elsewhere bool                   // whether everybody signs in at a provider
	Ended     string                 // the organisation at whose provider the browser may still be signed in; empty for none
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

// show shows the form, with a question for passkeys that is bound to this browser.
func show(q *page.Request, d data, p *api.Problem) (r page.Result, err error) {
	r = page.Result{Page: view}
	if q.Client.Step == "" {
		r.Step = q.Tracker.NewStep()
		q.Client.Step = r.Step
	}
	if p != nil {
		d.Code, d.Wait, r.Status, r.RetryAfter = p.Code, p.RetryAfter, p.Status, p.RetryAfter
		if r.Status == http.StatusUnauthorized {
			r.Status = http.StatusUnprocessableEntity
		}
		if p.Code == api.CodeForbidden {
			d.Reason = p.Detail
		}
	}
	d.Mails = q.Tracker.MailEnabled()
	d.Passkey, err = q.Tracker.AskSignIn(q.Client)
	r.Data = d
	return r, err
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
	return show(q, d, nil)
}

// SignIn opens a session and leads to where its user wanted to go, or to the page that asks for the second factor.
func SignIn(q *page.Request) (page.Result, error) {
	d := data{Email: q.PostForm.Get("email"), Next: q.Next(q.PostForm.Get("next"))}
	s, err := q.Tracker.SignIn(q.Context(), q.Client, page.SignIn{Email: d.Email, Password: q.PostForm.Get("password")})
	return answer(q, d, s, err)
}

// SignInWithPasskey opens a session by a passkey alone.
func SignInWithPasskey(q *page.Request) (page.Result, error) {
	d := data{Next: q.Next(q.PostForm.Get("next")), ByPasskey: true}
	s, err := q.Tracker.SignInWithPasskey(q.Context(), q.Client, page.AnswerOf(q))
	return answer(q, d, s, err)
}

// answer shows the form again when a sign-in was refused.
func answer(q *page.Request, d data, s page.NewSession, err error) (page.Result, error) {
	var p *api.Problem
	if !errors.As(err, &p) || !page.HasCode(err, api.CodeUnauthorized, api.CodeInvalidBody, api.CodeRateLimited,
		api.CodeUnavailable, api.CodeForbidden) {
		return q.FinishSignIn(s, err, d.Next, "")
	}
	if err := d.choose(q); err != nil {
		return page.Result{}, err
	}
	d.Elsewhere = false
	return show(q, d, p)
}

// SignOut ends the session, and leads to the page to sign in, or to one that is for somebody else.
func SignOut(q *page.Request) (page.Result, error) {
	to := "/login"
	next := q.Next(q.PostForm.Get("next"))
	if q.Session != nil {
		if q.Session.AtProvider {
			to += "?ended=" + q.Session.Caller.Organization.ID
		}
		if _, err := page.Call(q, q.Tracker.EndSession, api.EndSession{SessionID: q.Session.ID}); err != nil {
			return page.Result{}, err
		}
	}
	if next != "/" {
		to = next
	}
	return page.Result{Location: to, Notice: "signed-out", SignOut: true}, nil
}
