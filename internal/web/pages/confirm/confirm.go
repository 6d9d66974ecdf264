// Package confirm asks who the user is again, before a change that needs a recent proof of it.
package confirm

import (
	"cmp"
	"embed"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("confirm", folder)

type data struct {
	Path   string     // the pattern of what is confirmed
	Form   url.Values // of it
	Object string     // the name of the record in its path, or of its workspace
	In     string     // the name of the workspace in the form

	Action string
	Fields []field // of the form that is sent again
	Back   string
	Email  string
	Code   string // of the refusal; empty the first time

	api.ProofChoice
	AtProvider string // the path to prove it at the provider; empty without one
}

type field struct{ Name, Value string }

// never are the fields that are not sent again.
var never = []string{back, "password", "currentPassword", "newPassword", "proof-code", "proof-state", "proof-answer"}

// back is the field with the page that the first request was made from.
const back = "back"

// Here reports whether the user can prove it on the page.
func (d data) Here() bool {
	return d.AtProvider == "" || d.Password || d.ProofChoice.Code || d.Passkey.Options != ""
}

// Ask answers a request with the form that repeats it, with its query, and with a proof, of which the user has a choice.
// from is the page that it was made from, to which the form leads back. refused is nil the first time.
func Ask(q *page.Request, from string, choice api.ProofChoice, refused *api.Problem) page.Result {
	if q.PostForm.Has(back) {
		from = q.PostForm.Get(back)
	}
	in := q.PostForm.Get("workspaceId")
	d := data{Path: q.Pattern, Form: q.PostForm, Object: object(q), In: q.WorkspaceName(&in),
		Action: q.URL.RequestURI(), Back: q.Next(from), Email: q.Session.Profile.Email, ProofChoice: choice}
	if q.Session.AtProvider {
		d.AtProvider = tracker.ProviderPath + q.Session.Caller.Organization.ID + "?" +
			url.Values{"for": {tracker.ToProve}, "next": {d.Back}}.Encode()
	}
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

// object returns the name of the record in the path of a request, or of the workspace. A record that is not found has
// its id.
func object(q *page.Request) string {
	var name string
	userID, keyID, webhookID := q.PathValue("userId"), q.PathValue("keyId"), q.PathValue("webhookId")
	sourceID := q.PathValue("sourceId")
	switch {
	case userID != "":
		p, _ := page.Call(q, q.Tracker.GetPerson, api.GetPerson{UserID: userID})
		name = p.Person.Name
	case keyID != "":
		if v, err := page.Bind[api.GetKey](q, nil); err == nil {
			k, _ := q.Tracker.GetKey(q.Context(), q.Session.Caller, v)
			name = k.Name
		}
	case webhookID != "":
		if v, err := page.Bind[api.GetWebhook](q, nil); err == nil {
			w, _ := q.Tracker.WebhookRow(q.Context(), q.Session.Caller, v)
			name = w.URL
		}
	case sourceID != "":
		s, _ := page.Call(q, q.Tracker.GetSource, api.GetSource{SourceID: sourceID})
		name = s.Name
	default:
		name = cmp.Or(q.PathValue("reference"), q.Workspace.Name)
	}
	return cmp.Or(name, userID, keyID, webhookID, sourceID)
}
