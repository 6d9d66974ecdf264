package tracker

import (
	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/strictjson"
)

// listing is a request for a page of a list. A cursor is valid only for the operation, caller and parameters for which
// it was made.
type listing[T any] struct {
	operation     string
	parameters    any // their JSON omits limit and cursor
	paging        api.Paging
	positionParts int // how many strings identify the position of a row

	// read returns at most limit rows after a position. The parts of the position are empty for the first page.
	read     func(after []string, limit int) ([]T, error)
	position func(T) []string
}

// listPage returns a page of a list.
func listPage[T any](t *Tracker, c access.Caller, l listing[T]) (api.Page[T], error) {
	scope := cursorScope(l.operation, c, l.parameters)
	after, err := t.decodeCursor(l.paging, scope, l.positionParts)
	if err != nil {
		return api.Page[T]{}, err
	}
	rows, err := l.read(after, l.paging.Limit+1)
	if err != nil {
		return api.Page[T]{}, err
	}
	return newPage(rows, l.paging.Limit, func(last T) string { return t.cursors.Encode(scope, l.position(last)...) }),
		nil
}

// byID returns the listing with rows that are ordered by an id, which read returns.
func (l listing[T]) byID(idOf func(T) string, read func(afterID string, limit int) ([]T, error)) listing[T] {
	l.positionParts = 1
	l.position = func(row T) []string { return []string{idOf(row)} }
	l.read = func(after []string, limit int) ([]T, error) { return read(after[0], limit) }
	return l
}

// cursorScope identifies the lists for which a cursor is valid: by operation, owner and the parameters that are set.
// A cursor stays valid when a later version has further parameters, also while nodes of both versions serve.
func cursorScope(operation string, c access.Caller, parameters any) string {
	b, err := strictjson.MarshalSet(parameters)
	if err != nil {
		panic("tracker: the parameters of a list cannot be encoded: " + err.Error())
	}
	return operation + "\n" + cursorOwner(c) + "\n" + string(b)
}

// decodeCursor returns the n parts of the position in a cursor. They are empty for the first page.
func (t *Tracker) decodeCursor(p api.Paging, scope string, n int) ([]string, error) {
	if p.Cursor == "" {
		return make([]string, n), nil
	}
	parts, err := t.cursors.Decode(scope, p.Cursor, n)
	if err != nil {
		const detail = "The cursor is not valid for this list, these filters and this caller. Start again without a cursor."
		return nil, api.NewProblem(api.CodeInvalidCursor, detail,
			api.Fault{Parameter: "cursor", Code: api.CodeInvalidCursor, Detail: detail})
	}
	return parts, nil
}

// newPage returns the first limit rows as a page. Further rows show that another page follows, after the cursor of the
// last row.
func newPage[T any](rows []T, limit int, cursorOf func(last T) string) api.Page[T] {
	p := api.Page[T]{Data: rows, Pagination: api.Pagination{Limit: limit}}
	if len(rows) > limit {
		p.Data = rows[:limit]
		next := cursorOf(rows[limit-1])
		p.Pagination.HasMore, p.Pagination.Cursor = true, &next
	}
	if p.Data == nil {
		p.Data = []T{}
	}
	return p
}

// cursorOwner identifies the owner of cursors. It is the same for every key of a user or of a workspace.
func cursorOwner(c access.Caller) string {
	if c.Type == access.ServiceCaller {
		return c.WorkspaceID
	}
	return c.ID
}
