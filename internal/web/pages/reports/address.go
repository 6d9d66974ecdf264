package reports

import (
	"net/url"

	"bugslice/api"
	"bugslice/internal/query"
)

// address is the address of a list.
type address struct {
	Workspace string // its key; empty for all
	View      string // the id of a saved view; empty for none
	Group     string
	Query     query.Query
	Cursor    string
}

// String returns the path and the query of the address.
func (a address) String() string {
	values := url.Values{}
	for name, value := range map[string]string{"workspace": a.Workspace, "q": a.Query.String(), "group": a.Group,
		"cursor": a.Cursor, "view": a.View} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return "/reports"
	}
	return "/reports?" + values.Encode()
}

// First returns the address of the first page.
func (a address) First() address {
	a.Cursor = ""
	return a
}

// Page returns the address of the page at a cursor.
func (a address) Page(cursor string) address {
	a.Cursor = cursor
	return a
}

// By returns the address of the list that is grouped by a member, or not grouped.
func (a address) By(group string) address {
	a.Group, a.Cursor = group, ""
	return a
}

// Sorted returns the address of the list in another order.
func (a address) Sorted(by string) address { return a.with(query.Sort, query.Bare(by)) }

// Only returns the address of the reports with a label.
func (a address) Only(label string) address {
	return a.with(query.Label, query.Name(query.Label, label))
}

func (a address) with(word string, value query.Value) address {
	a.Query, a.Cursor = a.Query.With(word, value), ""
	return a
}

const (
	pageLimit = 100 // reports of a page of the operation, and of a batch
	maxOnly   = 500 // reports to which a list can be limited
)

// opened returns the path and query of the report that the address of a list opens beside it, empty for none. Parameters that the list
// does not have are those of the page of the report.
func opened(values url.Values) string {
	reference := values.Get("open")
	if _, _, ok := api.ParseReference(reference); !ok {
		return ""
	}
	more := url.Values{}
	for name, all := range values {
		more[name] = all
	}
	for _, name := range []string{"workspace", "q", "group", "cursor", "view", "open", "only"} {
		more.Del(name)
	}
	return (&url.URL{Path: "/" + reference, RawQuery: more.Encode()}).String()
}
