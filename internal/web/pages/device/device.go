// Package device is the page on which a user enters the code of a command line, and allows it to have a key.
package device

import (
	"embed"
	"net/http"
	"time"

	"bugslice/api"
	"bugslice/internal/oauth"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("device", folder)

type data struct {
	Code   string // that was entered
	Faults page.Faults
	Wait   time.Duration // until another code may be entered; 0 for none

	Device *oauth.Device // that waits with the code; nil while there is none
	Access page.Access
	Nearby bool // whether it has the address of the browser
	Email  string

	Denied  bool
	Allowed *api.Key
}

// Show shows the form with the code that a command line has put into the address. It looks nothing up: a link alone
// shows nobody what waits, and allows nothing.
func Show(q *page.Request) (page.Result, error) {
	return page.Show(view, data{Code: q.URL.Query().Get("user_code")})
}

// Answer shows what waits with a code, and carries out what the user decides.
func Answer(q *page.Request) (page.Result, error) {
	d := data{Code: q.PostForm.Get("user_code"), Email: q.Session.Profile.Email}
	var err error
	switch q.PostForm.Get("decision") {
	case "allow":
		var k api.Key
		if k, err = q.OAuth.ApproveDevice(q.Context(), *q.Session, q.Client, d.Code, q.Choice()); err == nil {
			d.Allowed = &k
			return page.Show(view, d)
		}
	case "deny":
		if err = q.OAuth.DenyDevice(q.Context(), *q.Session, q.Client, d.Code); err == nil {
			d.Denied = true
			return page.Show(view, d)
		}
	}
	faults, invalid := page.FaultsOf(err)
	if err != nil && !invalid && !page.HasCode(err, api.CodeRateLimited, api.CodeReplaySecret) {
		return page.Result{}, err
	}
	if _, gone := faults["user_code"]; !gone && (err == nil || invalid) {
		return ask(q, d, faults)
	}
	return refuse(d, err)
}

// ask shows the form about the command line that waits with a code.
func ask(q *page.Request, d data, faults page.Faults) (page.Result, error) {
	waiting, err := q.OAuth.Device(q.Context(), *q.Session, q.Client, d.Code)
	if err != nil {
		return refuse(d, err)
	}
	d.Device, d.Nearby = &waiting, waiting.Address == q.Client.Request.ClientAddress
	if d.Access, err = q.NewAccess(waiting.Scopes, waiting.Scopes); err != nil {
		return page.Result{}, err
	}
	if d.Access.Faults = faults; len(faults) > 0 {
		return page.Invalid(view, d)
	}
	return page.Show(view, d)
}

// refuse shows the form of the code again.
func refuse(d data, err error) (page.Result, error) {
	if page.HasCode(err, api.CodeReplaySecret) {
		err = oauth.ErrUnknownDevice
	}
	if faults, ok := page.FaultsOf(err); ok {
		d.Faults = faults
		return page.Invalid(view, d)
	}
	wait, limited := page.RetryAfter(err)
	if !limited {
		return page.Result{}, err
	}
	d.Wait = wait
	return page.Result{Page: view, Data: d, Status: http.StatusTooManyRequests, RetryAfter: wait}, nil
}
