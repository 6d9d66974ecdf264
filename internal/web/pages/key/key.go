// Package key is the page of one API key: what it may do, what it did, and its rotation and revocation. Of a
// revoked key it shows what it did.
package key

import (
	"embed"
	"net/http"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("key", folder)

type data struct {
	Key       api.Key
	Detail    page.KeyDetail
	State     page.KeyState
	Workspace string
	Once      string

	Tab      string // activity or refusals
	Activity []page.Activity
	Refusals []page.Refusal
	Refused  int64 // in all

	Code string // why a rotation was refused

	Rotated *api.NewKey // shown in place of the rest
	Trial   page.Trial
}

// refusalDays is how far back refused calls are counted.
const refusalDays = 7

// Show shows a key.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	v, err := page.Bind[api.GetKey](q, nil)
	if err != nil {
		return d, err
	}
	c := q.Session.Caller
	if d.Key, err = q.Tracker.StoredKey(q.Context(), c, v); err != nil {
		return d, err
	}
	details, err := q.Tracker.KeyDetails(q.Context(), c, []api.Key{d.Key})
	if err != nil {
		return d, err
	}
	if d.Activity, err = q.Tracker.KeyActivity(q.Context(), c, d.Key.ID); err != nil {
		return d, err
	}
	since := q.Now.Add(-refusalDays * 24 * time.Hour)
	if d.Refusals, err = q.Tracker.KeyRefusals(q.Context(), c, d.Key.ID, since); err != nil {
		return d, err
	}
	for _, r := range d.Refusals {
		d.Refused += r.Count
	}
	d.Detail = details[d.Key.ID]
	d.State = page.StateOf(d.Key, d.Detail, q.Now)
	d.Workspace, d.Once, d.Tab = q.WorkspaceName(d.Key.WorkspaceID), page.Once(), "activity"
	if q.URL.Query().Get("tab") == "refusals" {
		d.Tab = "refusals"
	}
	return d, nil
}

// Rotate gives the key a new token and shows it.
func Rotate(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.RotateKey](q, q.PostForm)
	if err != nil {
		return page.Result{}, err
	}
	k, err := q.Tracker.RotateKey(q.Context(), q.Session.Caller, v)
	if err == nil {
		d := data{Key: k.Key, Rotated: &k, Trial: page.Trial{Text: page.Curl(q.BaseURL, k)}}
		return page.Show(view, d)
	}
	if !page.HasCode(err, api.CodeKeyExpired, api.CodeReplaySecret, api.CodeIdempotencyKeyReused) {
		return page.Result{}, err
	}
	code := api.CodeKeyExpired
	if !page.HasCode(err, code) {
		code = api.CodeReplaySecret
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Code = code
	return page.Refused(view, d, http.StatusConflict)
}

// Revoke ends the key.
func Revoke(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.RevokeKey](q, nil)
	if err != nil {
		return page.Result{}, err
	}
	_, err = q.Tracker.RevokeKey(q.Context(), q.Session.Caller, v)
	if page.HasCode(err, api.CodeNotFound) {
		if d, loadErr := load(q); loadErr == nil && d.State == page.KeyRevoked { // the form was sent twice
			err = nil
		}
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/keys", "key-revoked")
}
