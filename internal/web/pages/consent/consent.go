// Package consent is the page on which a user allows an assistant, or another client of OAuth, to have a key.
package consent

import (
	"embed"
	"html/template"
	"net/url"

	"bugslice/api"
	"bugslice/internal/oauth"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("consent", folder)

type data struct {
	Client      oauth.Client
	Destination string // where the answer goes: a host or a scheme; empty for this machine
	Email       string
	Fields      []field // of the request, which the form carries
	Access      page.Access

	Return  template.URL // with which the browser returns to the client, in place of the form
	Refused *oauth.Error // why nothing can be allowed
	Denied  bool
	Again   bool // whether the form was sent before
}

// AtOnce returns whether the browser returns without a click: after a decision of the user alone, so that a link of a
// stranger leads nowhere.
func (d data) AtOnce() bool { return d.Return != "" && d.Refused == nil }

type field struct{ Name, Value string }

// Show shows what a client asks for.
func Show(q *page.Request) (page.Result, error) {
	d, a, err := load(q, q.URL.Query())
	if err != nil {
		return page.Result{}, page.ShowOAuthError(err)
	}
	if a.Refused != nil {
		d.Return, d.Refused = back(a.Refusal()), a.Refused
		return page.Refused(view, d, a.Refused.Status())
	}
	return page.Show(view, d)
}

// Answer carries out what the user decides, and returns to the client.
func Answer(q *page.Request) (page.Result, error) {
	d, a, err := load(q, q.PostForm)
	if err == nil && a.Refused != nil {
		err = a.Refused
	}
	if err != nil {
		return page.Result{}, page.ShowOAuthError(err)
	}
	switch q.PostForm.Get("decision") {
	case "deny":
		d.Denied, d.Return = true, back(a.Refusal())
		return page.Show(view, d)
	case "allow":
	default:
		return page.Show(view, d)
	}
	address, err := q.OAuth.Approve(q.Context(), *q.Session, a, q.Choice())
	if faults, invalid := page.FaultsOf(err); invalid {
		d.Access.Faults = faults
		return page.Invalid(view, d)
	}
	if page.HasCode(err, api.CodeReplaySecret, api.CodeIdempotencyKeyReused) {
		d.Again = true
		return page.Refused(view, d, 409)
	}
	if err != nil {
		return page.Result{}, err
	}
	d.Return = back(address)
	return page.Show(view, d)
}

// load returns the page about the request with some parameters.
func load(q *page.Request, values url.Values) (d data, a oauth.Authorization, err error) {
	if a, err = q.OAuth.Authorization(q.Context(), values); err != nil {
		return d, a, err
	}
	d = data{Client: a.Client, Destination: a.Destination(), Email: q.Session.Profile.Email}
	for _, name := range oauth.AuthorizationParameters {
		if values.Get(name) != "" {
			d.Fields = append(d.Fields, field{name, values.Get(name)})
		}
	}
	d.Access, err = q.NewAccess(a.Scopes, oauth.ReadingScopes)
	return d, a, err
}

// back marks an address of a client as one that a page may lead to: its scheme is one that oauth accepts.
func back(address string) template.URL { return template.URL(address) } //nolint:gosec // see above
