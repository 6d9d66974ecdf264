// Package shares is the list of the links of a workspace in the settings.
package shares

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("shares", folder)

type data struct {
	Workspace page.Workspace
	Rows      []page.ShareRow
	Next      string // the share before which the next page begins; empty on the last one
}

// pageSize is how many shares a page shows.
const pageSize = 50

// List shows the shares of the selected workspace, the newest first.
func List(q *page.Request) (page.Result, error) {
	rows, err := q.Tracker.WorkspaceShares(q.Context(), q.Session.Caller, q.Workspace.ID, q.URL.Query().Get("before"),
		pageSize+1)
	if err != nil {
		return page.Result{}, err
	}
	d := data{Workspace: q.Workspace, Rows: rows}
	if len(rows) > pageSize {
		d.Rows, d.Next = rows[:pageSize], rows[pageSize-1].ID
	}
	return page.Show(view, d)
}

// Revoke revokes a share. A form that is sent twice leads to the same page.
func Revoke(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.RevokeShare](q, nil)
	if err != nil {
		return page.Result{}, err
	}
	notice := "share-revoked"
	_, err = q.Tracker.RevokeShare(q.Context(), q.Session.Caller, v)
	if page.HasCode(err, api.CodeNotFound) {
		notice, err = "share-gone", nil
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect(q.Next(q.PostForm.Get("next")), notice)
}
