package tracker

import (
	"encoding/json"

	"bugslice/api"
)

// cursorScope names the list a cursor belongs to: the operation, whom it is for, and every
// parameter but limit and cursor.
func cursorScope(operation string, c Caller, filters any) string {
	b, err := json.Marshal(filters)
	if err != nil {
		panic("tracker: filters are plain data: " + err.Error())
	}
	return operation + "\n" + c.audience() + "\n" + string(b)
}

// decodeCursor reads where a page begins: n parts from the cursor, empty strings for the first page.
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

// newPage cuts rows, read with one more than the limit, to a page.
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

// convert maps the data of a page.
func convert[A, B any](rows []A, f func(A) B) []B {
	out := make([]B, len(rows))
	for i, r := range rows {
		out[i] = f(r)
	}
	return out
}
