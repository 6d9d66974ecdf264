// Package waiting is the queue of the reports of visitors that wait until a member accepts them, and those that were marked as
// spam.
package waiting

import (
	"embed"
	"net/url"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("waiting", folder)

type data struct {
	Workspace page.Workspace
	State     api.SubmissionState
	Rows      []row
	Next      string // the address of the next page; empty on the last one
}

// row is a report that waits.
type row struct {
	api.Submission
	Pictures, Evidence int
}

// pageSize is how many reports a page shows, and how many one form decides.
const pageSize = 50

// Show shows the reports of a state.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	d = data{Workspace: q.Workspace, State: api.SubmissionWaiting}
	if q.URL.Query().Get("show") == string(api.SubmissionSpam) {
		d.State = api.SubmissionSpam
	}
	found, err := page.Call(q, q.Tracker.ListSubmissions, api.ListSubmissions{WorkspaceID: q.Workspace.ID, State: d.State,
		Paging: api.Paging{Limit: pageSize, Cursor: q.URL.Query().Get("cursor")}})
	if err != nil {
		return d, err
	}
	for _, u := range found.Data {
		r := row{Submission: u}
		for _, f := range u.Files {
			if f.Kind == api.KindScreenshot || f.Kind == api.KindVideo {
				r.Pictures++
			} else {
				r.Evidence++
			}
		}
		d.Rows = append(d.Rows, r)
	}
	if found.Pagination.Cursor != nil {
		d.Next = d.Address(*found.Pagination.Cursor)
	}
	return d, nil
}

// Address returns the address of a page of the state; of the first one without a cursor.
func (d data) Address(cursor string) string {
	values := url.Values{"workspace": {d.Workspace.Key}}
	if d.State == api.SubmissionSpam {
		values.Set("show", string(d.State))
	}
	if cursor != "" {
		values.Set("cursor", cursor)
	}
	return "/waiting?" + values.Encode()
}

// Change gives the chosen reports the state that a button says, or that of a row: a state, and the id of one report.
func Change(q *page.Request) (page.Result, error) {
	verb, id, isRow := strings.Cut(q.PostForm.Get("do"), " ")
	ids := q.PostForm["id"]
	if isRow {
		ids = []string{id}
	}
	next := q.Next(q.PostForm.Get("next"))
	if len(ids) == 0 {
		return page.Redirect(next, "submissions-decided?n=0")
	}
	out, err := page.Call(q, q.Tracker.DecideSubmissions, api.DecideSubmissions{Body: api.DecideFields{IDs: ids,
		State: api.SubmissionState(verb)}})
	if err != nil {
		return page.Result{}, err
	}
	about := url.Values{"state": {verb}, "from": {q.PostForm.Get("from")}}
	done := 0
	for _, r := range out.Results {
		if r.Problem != nil && r.Problem.Code == api.CodeNotFound {
			about.Set("gone", "1")
			continue
		}
		if r.Problem != nil {
			about.Set("why", r.Problem.Detail)
			continue
		}
		done++
		about.Add("id", r.ID)
		if r.Reference != nil {
			about.Set("reference", *r.Reference)
		}
	}
	about.Set("n", strconv.Itoa(done))
	about.Set("refused", strconv.Itoa(len(out.Results)-done))
	return page.Redirect(next, "submissions-decided?"+about.Encode())
}
