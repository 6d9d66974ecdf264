// Package forgot is the page of somebody who has forgotten the password. Its answer does not say whether there is an account.
package forgot

import (
	"embed"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("forgot", folder)

type data struct {
	Enabled, Sent bool
	Email         string
	Wait          time.Duration // until another mail may be asked for; 0 when one was
}

// Show shows the form.
func Show(q *page.Request) (page.Result, error) {
	return page.Show(view, data{Enabled: q.Tracker.MailEnabled()})
}

// Send sends the link, if there is an account.
func Send(q *page.Request) (page.Result, error) {
	d := data{Enabled: q.Tracker.MailEnabled(), Email: q.PostForm.Get("email"), Sent: true}
	err := q.Tracker.ForgotPassword(q.Context(), q.Client, d.Email)
	var p *api.Problem
	if errors.As(err, &p) && p.Code == api.CodeRateLimited {
		d.Sent, d.Wait = false, p.RetryAfter
		return page.Result{Page: view, Data: d, Status: p.Status, RetryAfter: p.RetryAfter}, nil
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}
