// Package share is the form that shares a report, and the page that shows its link once.
package share

import (
	"embed"
	"maps"
	"net/url"
	"strings"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("share", folder)

type data struct {
	page.ShareForm
	Created *api.NewShare // shown in place of the form
	Mails   bool          // whether the instance sends mails
	Sent    string        // to which address the link was sent; empty for none
	Faults  page.Faults
}

// Show shows the form and the links of a report.
func Show(q *page.Request) (page.Result, error) {
	f, err := q.LoadShareForm(q.PathValue("reference"), nil)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{ShareForm: f})
}

// Create shares the report and shows the link. The form of that page sends the link by mail.
func Create(q *page.Request) (page.Result, error) {
	if q.PostForm.Has("mailTo") {
		return send(q)
	}
	reference := q.PathValue("reference")
	form := maps.Clone(q.PostForm)
	form.Set("expiresAt", q.ExpiresAt(q.PostForm["expiresAt"]))
	created, err := create(q, form)
	if err == nil {
		return page.Show(view, data{ShareForm: page.ShareForm{Reference: reference}, Created: &created, Mails: q.Tracker.MailEnabled()})
	}
	state, status, err := page.Refuse(q.PostForm, err, api.CodeReplaySecret, api.CodeTooManyShares)
	if err != nil {
		return page.Result{}, err
	}
	f, err := q.LoadShareForm(reference, q.PostForm)
	if err != nil {
		return page.Result{}, err
	}
	f.FormState = state
	return page.Refused(view, data{ShareForm: f}, status)
}

// send sends the link of a share that was just created.
func send(q *page.Request) (page.Result, error) {
	link := q.PostForm.Get("link")
	secret, ours := strings.CutPrefix(link, q.BaseURL+"/s/")
	if !ours {
		return page.Result{}, api.NotFound("link")
	}
	d := data{ShareForm: page.ShareForm{Reference: q.PathValue("reference")}, Mails: true, Sent: q.PostForm.Get("mailTo")}
	in := api.MailLink{Body: api.MailedLink{Kind: api.LinkShare, Token: secret, Email: d.Sent}}
	_, err := page.Call(q, q.Tracker.MailLink, in)
	faults, invalid := page.FaultsOf(err)
	if err != nil && !invalid {
		return page.Result{}, err
	}
	shares, err := q.Tracker.MailedShare(q.Context(), q.Session.Caller, secret)
	if err != nil {
		return page.Result{}, err
	}
	d.Created = &api.NewShare{Share: shares, URL: link}
	if invalid {
		d.Faults = page.Faults{"mailTo": faults["email"]}
		return page.Invalid(view, d)
	}
	return page.Show(view, d)
}

func create(q *page.Request, form url.Values) (api.NewShare, error) {
	q.SetPathValue("sliceId", q.PathValue("reference"))
	v, err := page.Bind[api.CreateShare](q, form)
	if err != nil {
		return api.NewShare{}, err
	}
	return q.Tracker.CreateShare(q.Context(), q.Session.Caller, v)
}
