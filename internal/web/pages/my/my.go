// Package my is the page that one starts with: the reports that are assigned to the reader, that the reader has
// filed, and that mention the reader.
package my

import (
	"embed"
	"html/template"
	"net/url"

	"bugslice/api"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("my", folder)

// listSize is the number of reports of a list.
const listSize = 10

// list is the first reports that a query selects.
type list struct {
	Name  string
	Query string
	Rows  []page.ReportRow
	More  bool
}

// All returns the address of the list of all reports of the query.
func (l list) All() string { return "/reports?q=" + url.QueryEscape(l.Query) }

// Items returns the rows of the list.
func (l list) Items(v *ui.View) (template.HTML, error) { return page.PlainRows(v, l.Rows) }

type data struct {
	Lists []list
	Start *page.Start // nil for readers who have nothing to start
}

// Show shows the lists.
func Show(q *page.Request) (page.Result, error) {
	lists := []list{
		{Name: "assigned", Query: "assignee:me status:open,in_progress"},
		{Name: "filed", Query: "reporter:me"},
		{Name: "mentions", Query: "mentions:me"},
	}
	rows := make([][]page.ReportRow, len(lists))
	for i := range lists {
		l := &lists[i]
		if err := l.load(q); err != nil {
			return page.Result{}, err
		}
		rows[i] = l.Rows
	}
	if err := q.NameAssignees(rows); err != nil {
		return page.Result{}, err
	}
	start, err := q.LoadStart(q.Workspace)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{lists, start})
}

// load reads the first reports of a list.
func (l *list) load(q *page.Request) error {
	parsed, err := query.Parse(l.Query)
	if err != nil {
		return err
	}
	in, err := parsed.List(nil, q.Zone()) // the queries name nobody
	if err != nil {
		return err
	}
	in.Paging = api.Paging{Limit: listSize}
	listed, err := q.ListReports(in)
	l.Rows, l.More = q.ReportRows(listed.Data, withLabel), listed.Pagination.HasMore
	return err
}

// withLabel returns the path of the list of the reports with a label.
func withLabel(label string) string {
	q := query.Query{}.With(query.Label, query.Name(query.Label, label))
	return "/reports?q=" + url.QueryEscape(q.String())
}
