package tracker

import (
	"encoding/json"

	"bugslice/api"
)

// listing is one list of the API. Its cursors are valid for the same operation, caller and parameters alone.
type listing[T any] struct {
	operation  string
	parameters any // they do not say limit and cursor in JSON
	paging     api.Paging
	parts      int // of a position

	// read returns at most limit rows after a position, whose parts are empty before the first row.
	read     func(after []string, limit int) ([]T, error)
	position func(T) []string
}

// listPage returns a page of a list.
func listPage[T any](t *Tracker, c Caller, l listing[T]) (api.Page[T], error) {
	scope := cursorScope(l.operation, c, l.parameters)
	after, err := t.decodeCursor(l.paging, scope, l.parts)
	if err != nil {
		return api.Page[T]{}, err
	}
	rows, err := l.read(after, l.paging.Limit+1)
	if err != nil {
		return api.Page[T]{}, err
	}
	return newPage(t, rows, l.paging.Limit, scope, l.position), nil
}

// listByID returns a page of a list in the order of its rows' ids.
func listByID[T any](
	t *Tracker, c Caller, l listing[T], idOf func(T) string, read func(afterID string, limit int) ([]T, error),
) (api.Page[T], error) {
	l.parts = 1
	l.position = func(row T) []string { return []string{idOf(row)} }
	l.read = func(after []string, limit int) ([]T, error) { return read(after[0], limit) }
	return listPage(t, c, l)
}

// cursorScope names the list a cursor belongs to: the operation, whom it is for, and its parameters.
func cursorScope(operation string, c Caller, parameters any) string {
	b, err := json.Marshal(parameters)
	if err != nil {
		panic("tracker: parameters are plain data: " + err.Error())
	}
	return operation + "\n" + c.audience() + "\n" + string(b)
}

// decodeCursor decodes a cursor: n parts, which are empty for the first page.
func (t *Tracker) decodeCursor(p api.Paging, binding string, n int) ([]string, error) {
	if p.Cursor == "" {
		return make([]string, n), nil
	}
	parts, err := t.cursors.Decode(binding, p.Cursor, n)
	if err != nil {
		const detail = "The cursor is not one that this service gave for this list, these filters and this caller. Begin again without it."
		return nil, api.Refuse(api.CodeInvalidCursor, detail, api.Fault{Parameter: "cursor", Code: api.CodeInvalidCursor, Detail: detail})
	}
	return parts, nil
}

// newPage returns the first rows as a page. rows holds one more than the limit when another page follows.
func newPage[T any](t *Tracker, rows []T, limit int, binding string, position func(T) []string) api.Page[T] {
	p := api.Page[T]{Data: rows, Pagination: api.Pagination{Limit: limit}}
	if len(rows) > limit {
		p.Data = rows[:limit]
		next := t.cursors.Encode(binding, position(rows[limit-1])...)
		p.Pagination.HasMore, p.Pagination.Cursor = true, &next
	}
	if p.Data == nil {
		p.Data = []T{}
	}
	return p
}
