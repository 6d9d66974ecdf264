// Package recipient is the page of a recording link, for somebody without an account: who asks for what, a recording of the screen or
// another file, and what happened. Whoever has its address may use it. Without script its form takes a file.
package recipient

import (
	"embed"
	"net/http"
	"net/url"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("recipient", folder)

type data struct {
	tracker.RecordingPage
	Base    string // the path of the page
	Form    url.Values
	Once    string
	Faults  page.Faults
	Refused string // why the whole was refused; empty for a reason of a field
	Arrived bool   // whether a recording has arrived, which is shown in place of the form
}

// asked is the fragment by which the capture script of a site knows that a recording was asked for.
const asked = "#bugslice-record"

// Site returns the address that opens the site; empty without one.
func (d data) Site() string {
	if d.SiteURL == "" {
		return ""
	}
	return d.SiteURL + asked
}

// Host returns the host of the site.
func (d data) Host() string {
	u, err := url.Parse(d.SiteURL)
	if err != nil {
		return d.SiteURL
	}
	return u.Host
}

// MaxText is the maximum length of what the recipient writes, in characters.
func (data) MaxText() int { return tracker.MaxRecipientText }

// MaxMiB is the maximum size of a file.
func (d data) MaxMiB() int64 { return d.MaxBytes >> 20 }

func base(q *page.Request) string { return "/record/" + q.PathValue("link") }

// Show shows the form, or that a recording has arrived.
func Show(q *page.Request) (page.Result, error) {
	visitors := q.Tracker.Visitors()
	if once := q.URL.Query().Get("sent"); once != "" {
		team, arrived, err := visitors.ArrivedRecording(q.Context(), q.Share, once)
		if err != nil {
			return page.Result{}, err
		}
		if arrived {
			left, err := visitors.RecordingPage(q.Context(), q.Share)
			if err != nil && !page.HasCode(err, api.CodeNotFound) {
				return page.Result{}, err
			}
			left.Team = team
			return page.Show(view, data{RecordingPage: left, Base: base(q), Arrived: true})
		}
	}
	p, err := visitors.RecordingPage(q.Context(), q.Share)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{RecordingPage: p, Base: base(q), Form: url.Values{}, Once: page.Once()})
}

// Send files what the recipient sends, and leads to the page that says that it has arrived.
func Send(q *page.Request) (page.Result, error) {
	once := q.PostForm.Get("once")
	sent := tracker.Recording{Text: q.PostForm.Get("text"), Name: q.PostForm.Get("name"), Email: q.PostForm.Get("email"), Once: once}
	err := page.SendRecording(q, sent)
	switch {
	case err == nil, page.HasCode(err, api.CodeIdempotencyKeyReused): // it has arrived before
		return page.Redirect(base(q)+"?sent="+url.QueryEscape(once), "")
	case page.HasCode(err, api.CodeNotFound):
		return page.Result{}, err
	}
	d := data{Base: base(q), Form: q.PostForm, Once: once}
	var isOfField bool
	if d.Faults, isOfField = page.FaultsOf(err); !isOfField {
		d.Refused = q.Detail(err)
		d.Faults = page.Faults{}
	}
	var gone error
	if d.RecordingPage, gone = q.Tracker.Visitors().RecordingPage(q.Context(), q.Share); gone != nil {
		return page.Result{}, access.ErrNoRecordingLink
	}
	wait, _ := page.RetryAfter(err)
	return page.Result{Page: view, Data: d, Status: http.StatusUnprocessableEntity, RetryAfter: wait}, nil
}
