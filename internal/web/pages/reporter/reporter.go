// Package reporter is the page of a report for its reporter, who has no account: how far it is, what the team answers, and the
// reporter's own answers. Whoever has its address may use it; it needs no script.
package reporter

import (
	"embed"
	"html/template"
	"net/http"

	"bugslice/api"
	"bugslice/internal/markdown"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("reporter", folder)

type data struct {
	tracker.ReporterPage
	Base   string // the path of the page
	Once   string
	Sent   bool   // whether the request before has sent something
	Text   string // that was refused
	Fault  string // why
	Failed []page.FileFailure
	texts  *markdown.Page
}

// Size implements page.Sized.
func (d data) Size() int {
	n := len(d.Summary) + len(d.Description)
	for _, c := range d.Comments {
		n += len(c.Body)
	}
	return markdown.Size(n)
}

// MaxAnswer is the maximum length of an answer, in characters.
func (data) MaxAnswer() int { return tracker.MaxReporterAnswer }

// Prose returns the HTML of an answer of the team. It names no member, and shows no file.
func (d data) Prose(source string) template.HTML {
	return ui.Prose(markdown.Context{Base: d.Base, Page: d.texts}, store.ReplaceMentions(source, func(string) string { return "team" }))
}

func base(q *page.Request) string { return "/r/" + q.PathValue("secret") }

func read(q *page.Request) (data, error) {
	p, err := q.Tracker.Visitors().Page(q.Context(), q.Share)
	return data{ReporterPage: p, Base: base(q), Once: page.Once(), texts: markdown.NewPage()}, err
}

// Show shows the page.
func Show(q *page.Request) (page.Result, error) {
	d, err := read(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Sent = q.URL.Query().Get("sent") != ""
	return page.Show(view, d)
}

// Answer adds an answer, with its files or either of them.
func Answer(q *page.Request) (page.Result, error) {
	text, once := q.PostForm.Get("text"), q.PostForm.Get("once")
	added, failed, err := q.StoreReporterFiles(once)
	if err != nil {
		return page.Result{}, err
	}
	var refused string
	if text != "" || added+len(failed) == 0 {
		err = q.Tracker.Visitors().Answer(q.Context(), q.Client, q.Share, tracker.ReporterAnswer{Text: text, Once: once})
		if page.HasCode(err, api.CodeNotFound) {
			return page.Result{}, err
		}
		if err != nil {
			refused = q.Detail(err)
		}
	}
	if refused == "" && len(failed) == 0 {
		return page.Redirect(base(q)+"?sent=1#answers", "")
	}
	d, err := read(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Sent, d.Fault, d.Failed = added > 0 || text != "" && refused == "", refused, failed
	if refused != "" {
		d.Text = text
	}
	return page.Result{Page: view, Data: d, Status: http.StatusUnprocessableEntity}, nil
}
