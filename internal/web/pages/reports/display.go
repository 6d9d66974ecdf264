package reports

import (
	"net/url"
	"slices"

	"bugslice/internal/query"
	"bugslice/internal/web/page"
)

// displayCookie is how the reader sees lists, which a script stores: no secret, and it selects nothing but what is shown.
const displayCookie = "bugslice-display"

// groupings are the members by which a list is grouped.
var groupings = []string{query.Status, query.Priority, query.Assignee, query.Label, query.Space, query.Release,
	query.Reporter}

// rowParts are the parts of a row that a reader can leave out.
var rowParts = []string{"labels", "evidence", "occurrences", "comments", "assignee", "age"}

// display is how the reader sees lists in this browser.
type display struct {
	Group   string   // the grouping of an address that says none
	Hidden  []string // columns
	Compact bool
	Folded  []string // groups, as status:closed
}

// displayOf returns the display of a request. What a script does not write is ignored.
func displayOf(q *page.Request) (d display) {
	cookie, err := q.Cookie(displayCookie)
	if err != nil {
		return d
	}
	values, err := url.ParseQuery(cookie.Value)
	if err != nil {
		return d
	}
	if by := values.Get("group"); slices.Contains(groupings, by) {
		d.Group = by
	}
	for _, column := range rowParts {
		if slices.Contains(values["hide"], column) {
			d.Hidden = append(d.Hidden, column)
		}
	}
	d.Compact, d.Folded = values.Get("density") == "compact", values["fold"]
	return d
}

// column is a part of a row that the reader can leave out.
type column struct {
	Name  string
	Shown bool
}
