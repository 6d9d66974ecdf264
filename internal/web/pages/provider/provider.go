// Package provider is the way to the OpenID provider of an organisation and back: to sign in, to link an account, and to
// prove that its user is there. It also takes what providers say about sessions that have ended.
package provider

import (
	"embed"
	"errors"
	"net/http"
	"time"

	"bugslice/api"
	"bugslice/internal/openid"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("provider", folder)

type data struct {
	tracker.SignInOutcome

	OrgID, Back string
	Refused     string `untrusted:"true"` // a sentence with the provider's words; empty when nothing was refused
	Code        string // of a refused password; empty without one
	Wait        time.Duration
}

// orgID is the part of the path that names the organisation.
const orgID = "organizationId"

// Start leads to the provider of an organisation.
func Start(q *page.Request) (page.Result, error) {
	values := q.URL.Query()
	purpose := tracker.ToSignIn
	if q.Session != nil {
		if purpose = values.Get("for"); purpose != tracker.ToLink && purpose != tracker.ToProve {
			return page.Redirect(q.Next(values.Get("next")), "")
		}
	}
	b, err := q.Tracker.BeginSignIn(q.Context(), q.PathValue(orgID), tracker.SignInPurpose{Purpose: purpose,
		Next: q.Next(values.Get("next")), Invitation: values.Get("invitation")}, q.Session)
	if err != nil {
		return refused(q, err)
	}
	return page.Result{Location: b.Location, Attempt: b.Cookie}, nil
}

// refused shows why a provider did not confirm a person. Another error is that of the request.
func refused(q *page.Request, err error) (page.Result, error) {
	var p *api.Problem
	if !errors.As(err, &p) || !page.HasCode(err, api.CodeForbidden, api.CodeUnavailable, api.CodeRateLimited) {
		return page.Result{}, err
	}
	back := "/login"
	if q.Session != nil {
		back = "/settings/security"
	}
	return page.Result{Page: view, Data: data{Refused: p.Detail, Back: back}, Status: p.Status,
		RetryAfter: p.RetryAfter}, nil
}

// Return takes the answer with which the browser returns from the provider.
func Return(q *page.Request) (page.Result, error) {
	values := q.URL.Query()
	answer := openid.Answer{State: values.Get("state"), Code: values.Get("code"), Issuer: values.Get("iss"),
		Error:       values.Get("error"),
		Description: values.Get("error_description")}
	out, err := q.Tracker.FinishAtProvider(q.Context(), q.Client,
		tracker.Returned{OrgID: q.PathValue(orgID), Cookie: q.Attempt, Answer: answer, Session: q.Session})
	if err != nil {
		return refused(q, err)
	}
	out.Next = q.Next(out.Next)
	switch {
	case out.Step != "":
		r, err := q.FinishSignIn(page.NewSession{}, &tracker.SecondFactorError{Step: out.Step}, out.Next, "")
		r.EndAttempt = true
		return r, err
	case out.Session != nil:
		return page.Result{Location: out.Next, Session: out.Session, EndAttempt: true}, q.EndFormerSession()
	case out.Purpose == tracker.ToProve:
		s, err := page.Call(q, q.Tracker.ProveAtProvider,
			api.ProveAtProvider{Body: api.ProviderConfirmation{Sealed: out.Sealed, Device: q.Client.Device}})
		if err != nil {
			return refused(q, err)
		}
		return page.Result{Location: out.Next, Session: &s, Notice: "proved-at-provider", EndAttempt: true}, nil
	}
	return page.Result{Page: view, Data: data{SignInOutcome: out, OrgID: q.PathValue(orgID)}, EndAttempt: true}, nil
}

// Link links the account of a person with the address that the provider has confirmed, after a proof of its password.
func Link(q *page.Request) (page.Result, error) {
	d := data{OrgID: q.PathValue(orgID), SignInOutcome: tracker.SignInOutcome{Purpose: tracker.ToSignIn,
		Sealed: q.PostForm.Get("sealed"),
		Email:  q.PostForm.Get("email"), Provider: q.PostForm.Get("provider"), Next: q.Next(q.PostForm.Get("next"))}}
	s, err := q.Tracker.LinkSignIn(q.Context(), q.Client, d.OrgID, d.Sealed, q.PostForm.Get("password"))
	var p *api.Problem
	if !errors.As(err, &p) {
		return q.FinishSignIn(s, err, d.Next, "")
	}
	if !page.HasCode(err, api.CodeUnauthorized, api.CodeRateLimited, api.CodeUnavailable) {
		return refused(q, err)
	}
	d.Code, d.Wait = p.Code, p.RetryAfter
	status := p.Status
	if status == http.StatusUnauthorized {
		status = http.StatusUnprocessableEntity
	}
	return page.Result{Page: view, Data: d, Status: status, RetryAfter: p.RetryAfter}, nil
}

// LinkOwn links the account of the session.
func LinkOwn(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.LinkIdentity,
		api.LinkIdentity{Body: api.ProviderConfirmation{Sealed: q.PostForm.Get("sealed")}})
	if err != nil {
		return refused(q, err)
	}
	return page.Redirect(q.Next(q.PostForm.Get("next")), "identity-linked")
}

// End leads to where the provider ends its own session of the browser.
func End(q *page.Request) (page.Result, error) {
	address, err := q.Tracker.EndAddress(q.Context(), q.PathValue(orgID), q.BaseURL+"/login")
	if err != nil {
		return refused(q, err)
	}
	if address == "" {
		address = "/login"
	}
	return page.Result{Location: address}, nil
}

// BackChannel takes a message of the provider that sessions have ended.
func BackChannel(q *page.Request) (page.Result, error) {
	err := q.Tracker.EndByProvider(q.Context(), q.Client, q.PathValue(orgID), q.PostForm.Get("logout_token"))
	if err != nil && !page.HasCode(err, api.CodeForbidden, api.CodeNotFound) {
		return page.Result{}, err
	}
	return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if err != nil { // anybody may ask, so it says no more
			w.WriteHeader(http.StatusBadRequest)
		}
		return nil
	}}, nil
}

// FrontChannel takes the request of a frame in a page of the provider that a session has ended.
func FrontChannel(q *page.Request) (page.Result, error) {
	values := q.URL.Query()
	err := q.Tracker.EndInFrame(q.Context(), q.Client, q.PathValue(orgID), values.Get("iss"), values.Get("sid"))
	return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		return nil
	}}, err
}
