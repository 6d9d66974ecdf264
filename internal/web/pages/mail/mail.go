// Package mail is what becomes of the mails of an organisation: what waits, what has failed, and the addresses that a mail
// server has refused.
package mail

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("mail", folder)

// Show shows the state.
func Show(q *page.Request) (page.Result, error) {
	s, err := page.Call(q, q.Tracker.GetMailState, api.GetMailState{})
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, s)
}

// Test sends a mail to the reader.
func Test(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.SendTestMail, api.SendTestMail{}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/mail", "mail-tested")
}

// Resume lets mails be sent to the stopped address of a user again.
func Resume(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.ResumeMail, api.ResumeMail{UserID: q.PathValue("userId")}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/mail", "mail-resumed")
}

// Retry sends a mail once more that has failed.
func Retry(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.RetryMail, api.RetryMail{MailID: q.PathValue("mailId")}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/mail", "mail-retried")
}
