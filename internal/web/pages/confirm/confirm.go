// Package confirm asks for the password again, before a change that needs a recent proof of it.
package confirm

import (
	"embed"
	"maps"
	"net/http"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("confirm", folder)

type data struct {
	Action string
	Fields []field // of the form that is sent again
	Back   string
	Email  string
	Code   string // of the refusal; empty the first time
}

type field struct{ Name, Value string }

// never are the fields that are not sent again.
var never = []string{back, "password", "currentPassword", "newPassword"}

// back is the field with the page that the first request was made from.
const back = "back"

// Ask answers a request with the form that repeats it, with its query, and with the password. from is the page that it was made
// from, to which the form leads back. refused is nil the first time.
func Ask(q *page.Request, from string, refused *api.Problem) page.Result {
	if q.PostForm.Has(back) {
		from = q.PostForm.Get(back)
	}
	d := data{Action: q.URL.RequestURI(), Back: q.Next(from), Email: q.Session.Profile.Email}
	for _, name := range slices.Sorted(maps.Keys(q.PostForm)) {
		if slices.Contains(never, name) {
			continue
		}
		for _, value := range q.PostForm[name] {
			d.Fields = append(d.Fields, field{name, value})
		}
	}
	status, wait := http.StatusForbidden, time.Duration(0)
	if refused != nil {
		d.Code, status, wait = refused.Code, refused.Status, refused.RetryAfter
	}
	if status == http.StatusUnauthorized {
		status = http.StatusUnprocessableEntity
	}
	return page.Result{Page: view, Data: d, Status: status, RetryAfter: wait}
}
