// Package mailstop is the page of the address in a mail by which its like are stopped. Opening it changes nothing, because
// scanners of mails open every link. One request stops them, without signing in (RFC 8058).
package mailstop

import (
	"embed"

	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("mailstop", folder)

type data struct {
	tracker.StoppedMails
	Done, Undone bool
}

// Show says what would be stopped, and asks.
func Show(q *page.Request) (page.Result, error) {
	s, err := q.Tracker.MailStop(q.Context(), q.PathValue("secret"))
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{StoppedMails: s})
}

// Stop stops the mails, or takes that back.
func Stop(q *page.Request) (page.Result, error) {
	if undo := q.PostForm.Get("undo"); undo != "" {
		s, err := q.Tracker.MailStop(q.Context(), q.PathValue("secret"))
		if err == nil {
			err = q.Tracker.ResumeMails(q.Context(), undo)
		}
		if err != nil {
			return page.Result{}, err
		}
		return page.Show(view, data{StoppedMails: s, Undone: true})
	}
	s, err := q.Tracker.StopMails(q.Context(), q.PathValue("secret"))
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{StoppedMails: s, Done: true})
}
