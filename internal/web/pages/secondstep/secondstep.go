// Package secondstep is the page that asks for the second factor of somebody who signs in.
package secondstep

import (
	"embed"
	"errors"
	"net/http"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("secondstep", folder)

type data struct {
	api.ProofChoice
	Next, Refusal string // Refusal is the code of the refusal; empty without one
	Dialog        bool   // whether a script of another page asks, which shows a text of the answer
}

// Show shows the form to a browser in which the first factor was proved.
func Show(q *page.Request) (page.Result, error) { return show(q, q.URL.Query().Get("next"), nil) }

func show(q *page.Request, next string, p *api.Problem) (page.Result, error) {
	d := data{Next: q.Next(next), Dialog: q.Header.Get("Sec-Fetch-Dest") == "empty"}
	if q.Session != nil && !q.Session.Lacks {
		return page.Redirect(d.Next, "")
	}
	var err error
	d.ProofChoice, err = q.Tracker.SignInStep(q.Context(), q.Client)
	if errors.Is(err, tracker.ErrSignInOver) {
		return page.Redirect("/login", "sign-in-over")
	}
	if err != nil {
		return page.Result{}, err
	}
	r := page.Result{Page: view, Data: d}
	if p != nil {
		d.Refusal, r.Status, r.RetryAfter = p.Code, p.Status, p.RetryAfter
		if r.Status == http.StatusUnauthorized {
			r.Status = http.StatusUnprocessableEntity
		}
		r.Data = d
	}
	return r, nil
}

// Finish opens the session.
func Finish(q *page.Request) (page.Result, error) {
	next := q.PostForm.Get("next")
	s, err := q.Tracker.FinishSignIn(q.Context(), q.Client, page.ProofOf(q))
	if errors.Is(err, tracker.ErrSignInOver) {
		return page.Redirect("/login", "sign-in-over")
	}
	var p *api.Problem
	if errors.As(err, &p) && page.HasCode(err, api.CodeUnauthorized, api.CodeRateLimited) {
		return show(q, next, p)
	}
	return q.FinishSignIn(s, err, q.Next(next), "")
}
