// Package recording is the page that says how an application files reports by itself. It makes a key for that, and shows
// the first report that arrives with it.
package recording

import (
	"embed"
	"net/url"
	"slices"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("recording", folder)

// keyDays is the lifetime of a key, which everybody may read who opens a page that contains it.
const keyDays = 14

type data struct {
	Once    string
	May     bool // whether the reader may make a key of the workspace
	Key     *api.Key
	Token   string         // shown once; page.NoKey without it
	Gone    bool           // whether the form was sent before, and its token is not shown again
	Arrived *page.Activity // the first report with the key; nil before

	Tag, Pinned, Playwright, Curl string
	Origins                       []string
	Parts                         []string // that a source records
}

// Watch returns the address that says whether a report has arrived with the key.
func (d data) Watch(workspaceKey string) string {
	return "/settings/record?" + url.Values{"workspace": {workspaceKey}, "key": {d.Key.ID}}.Encode()
}

// Show shows the texts to paste, and whether a report has arrived with the key that the query names.
func Show(q *page.Request) (page.Result, error) {
	d := newData(q, page.NoKey)
	keyID := q.URL.Query().Get("key")
	if keyID == "" {
		return page.Show(view, d)
	}
	k, err := page.Call(q, q.Tracker.StoredKey, api.GetKey{KeyID: keyID})
	if err != nil {
		return page.Result{}, err
	}
	d.Key = &k
	caused, err := q.Tracker.KeyActivity(q.Context(), q.Session.Caller, k.ID)
	for _, a := range slices.Backward(caused) {
		if a.Type == api.EventSliceCreated {
			d.Arrived = &a
			break
		}
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

// CreateKey makes a key of the workspace that files only, and shows the texts with it.
func CreateKey(q *page.Request) (page.Result, error) {
	policy, err := q.KeyPolicy()
	if err != nil {
		return page.Result{}, err
	}
	v, err := page.Bind[api.CreateKey](q, url.Values{"once": q.PostForm["once"],
		"name": {"Record " + page.Shorten(q.Workspace.Name, 90)}, "type": {string(api.WST)},
		"workspaceId": {q.Workspace.ID}, "scopes": {string(api.SlicesWrite)}, "filesOnly": {"true"},
		"expiresAt": {q.InDays(policy.Default(keyDays)).String()}})
	var k api.NewKey
	if err == nil {
		k, err = q.Tracker.CreateKey(q.Context(), q.Session.Caller, v)
	}
	if page.HasCode(err, api.CodeReplaySecret, api.CodeIdempotencyKeyReused) {
		d := newData(q, page.NoKey)
		d.Gone = true
		return page.Show(view, d)
	}
	if err != nil {
		return page.Result{}, err
	}
	d := newData(q, k.Token)
	d.Key = &k.Key
	return page.Show(view, d)
}

// newData returns the texts with a token.
func newData(q *page.Request, token string) data {
	return data{Once: page.Once(), May: q.Workspace.Role == api.RoleAdmin || q.Workspace.Role == api.RoleOwner,
		Token: token, Tag: q.RecorderTag(token), Pinned: q.PinnedTag(token), Playwright: q.PlaywrightModule(token),
		Curl: q.FilingCurl(token, q.Workspace.ID), Origins: q.Origins,
		Parts: api.CapturePart("").Values()}
}
