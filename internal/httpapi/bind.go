package httpapi

import (
	"net/url"
	"time"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/operations"
)

// bind returns the validated input of an operation. It reads the rights of the caller again when the body took long
// to arrive.
func (a *API) bind(q *request, op operations.Operation) (any, error) {
	started := time.Now()
	in, err := a.readInput(q, op)
	if err != nil {
		return nil, err
	}
	readsBody := op.Input.Body != nil && op.Effect == api.Reads // a write reads the rights in its transaction
	if readsBody || time.Since(started) > recheckEvery {
		_, err = a.Tracker.Reauthorize(q.Context(), q.caller, op.ID)
	}
	return in, err
}

// readInput reads the body and binds it with the path, the query and the headers.
func (a *API) readInput(q *request, op operations.Operation) (any, error) {
	raw, err := readBody(q, op)
	if err != nil {
		return nil, err
	}
	if err := q.memory.StartProcessing(q.Context(), evidence.Size(raw)); err != nil {
		return nil, err
	}
	source := input.Source{Path: q.PathValue, Header: q.Header, Body: raw}
	source.Query, source.QueryErr = url.ParseQuery(q.URL.RawQuery)
	return a.bindSource(q, op, source)
}

// largeBody is the size in bytes from which a body is bound in a slot of the caller's organisation.
const largeBody = 8 << 10

// bindSource binds and validates an input. A large body waits for a slot.
func (a *API) bindSource(q *request, op operations.Operation, source input.Source) (any, error) {
	if len(source.Body) >= largeBody {
		slot, err := a.Tracker.AcquireSlot(q.Context(), q.caller)
		if err != nil {
			return nil, err
		}
		defer slot.Release()
	}
	return op.Bind(source)
}
