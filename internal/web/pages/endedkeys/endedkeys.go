// Package endedkeys is the list of API keys that were revoked or have expired.
package endedkeys

import (
	"embed"

	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("endedkeys", folder)

// List shows the keys of the user's list that have ended.
func List(q *page.Request) (page.Result, error) {
	keys, err := q.Tracker.EndedKeys(q.Context(), q.Session.Caller)
	if err != nil {
		return page.Result{}, err
	}
	rows, err := q.KeyRows(keys)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, rows)
}
