package reports

import (
	"net/url"
	"slices"

	"bugslice/api"
	"bugslice/internal/query"
)

// address is the address of a list.
type address struct {
	Workspace string // its key; empty for all
	View      string // the id of a saved view; empty for none
	Group     string
	Kept      string // the grouping of an address that says none
	Query     query.Query
	Board     bool   // whether it is that of the board
	Column    string // the status whose column of the board the cursor continues
	Cursor    string
}

// String returns the path and the query of the address.
func (a address) String() string { return a.withText(a.Query.String()) }

// withText returns the address with another text of the search box.
func (a address) withText(text string) string {
	values := url.Values{}
	all := map[string]string{"workspace": a.Workspace, "q": text, "group": a.GroupField(), "cursor": a.Cursor,
		"view": a.View}
	if a.Board {
		all["group"], all["view"], all["column"] = "", "", a.Column
	}
	for name, value := range all {
		if value != "" {
			values.Set(name, value)
		}
	}
	if text == "" && !a.Board { // without q, the list has what is active
		values.Set("q", "")
	}
	if len(values) == 0 {
		return a.Path()
	}
	return a.Path() + "?" + values.Encode()
}

// GroupField returns the grouping as an address has it: none where an address that says none would be grouped.
func (a address) GroupField() string {
	if a.Group == "" && a.Kept != "" {
		return "none"
	}
	return a.Group
}

// showBoard makes the address that of the board, of which a column may be continued.
func (a *address) showBoard(column string) error {
	if column != "" && !slices.Contains(api.Status("").Values(), column) {
		return api.InvalidParameter("column", "not_allowed", "column must be a status")
	}
	a.Board, a.Column, a.Group = true, column, query.Status
	return nil
}

// Path returns the path of the page.
func (a address) Path() string {
	if a.Board {
		return "/board"
	}
	return "/reports"
}

// AsBoard returns the address of the board with the same query.
func (a address) AsBoard() address {
	a = a.First()
	a.Board = true
	return a
}

// AsList returns the address of the list with the same query.
func (a address) AsList() address {
	a = a.First()
	a.Board, a.Group = false, ""
	return a
}

// Continue returns the address of a column of the board at a cursor.
func (a address) Continue(column, cursor string) address {
	a.Column, a.Cursor = column, cursor
	return a
}

// First returns the address of the first page.
func (a address) First() address {
	a.Cursor, a.Column = "", ""
	return a
}

// Everywhere returns the address of the same query in all workspaces.
func (a address) Everywhere() address {
	a = a.First()
	a.Workspace, a.View = "", ""
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
	a = a.First()
	a.Query = a.Query.With(word, value)
	return a
}

const (
	pageLimit = 100 // reports of a page of the operation, and of a batch
	maxOnly   = 500 // reports to which a list can be limited
)

// opened returns the path and query of the report that the address of a list opens beside it, empty for none.
// Parameters that the list does not have are those of the page of the report.
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
