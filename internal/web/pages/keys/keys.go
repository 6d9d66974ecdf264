// Package keys is the list of API keys in the settings.
package keys

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("keys", folder)

type data struct {
	Keys, Programs []page.KeyRow // that people use, and that were made for assistants and command lines
	Next           string        // the cursor of the next page; empty on the last one
}

// pageSize is how many keys a page shows: rendering 50 took most of the time that a page may take.
const pageSize = 25

// List shows the keys that the user can manage.
func List(q *page.Request) (page.Result, error) {
	in := api.ListKeys{Paging: api.Paging{Limit: pageSize, Cursor: q.URL.Query().Get("cursor")}}
	v, err := input.Check(in)
	if err != nil {
		return page.Result{}, err
	}
	listed, err := q.Tracker.ListKeys(q.Context(), q.Session.Caller, v)
	if err != nil {
		return page.Result{}, err
	}
	rows, err := q.KeyRows(listed.Data)
	if err != nil {
		return page.Result{}, err
	}
	var d data
	for _, k := range rows {
		if k.Client.ID == "" {
			d.Keys = append(d.Keys, k)
		} else {
			d.Programs = append(d.Programs, k)
		}
	}
	if listed.Pagination.Cursor != nil {
		d.Next = *listed.Pagination.Cursor
	}
	return page.Show(view, d)
}
