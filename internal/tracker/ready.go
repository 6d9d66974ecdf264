package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// Ready returns an error while this node cannot serve: its database is not reachable, or does not have the schema of
// this program.
func (t *Tracker) Ready(ctx context.Context) error {
	return t.access.Ready(ctx)
}

// Notes returns a line for each limitation under which this node serves.
func (t *Tracker) Notes() (lines []string) {
	if reason := t.RemovalSuspended(); reason != "" {
		lines = append(lines, "removal of files is suspended: "+reason)
	}
	if t.readOnly {
		lines = append(lines, "this node is read-only: every change is refused")
	}
	if err := t.blobs.Unavailable(); err != nil {
		lines = append(lines, "the storage of files cannot be reached or written: their upload and download are refused")
	}
	if t.disk.Low() { // reads are served
		lines = append(lines, "the disk is nearly full: writes that store something are refused")
	}
	return lines
}

// ProblemOf returns the problem with which a front end answers when a method returns err. failed reports that the
// service failed, and not the request; the front end logs err then.
func ProblemOf(ctx context.Context, err error) (p *api.Problem, failed bool) {
	var indexing *store.IndexingError
	switch {
	case errors.As(err, &p):
		return p, false
	case errors.Is(err, access.ErrProofNeeded):
		return api.NewProblem(api.CodeForbidden,
			"This change needs a proof of your password that is not older than 15 minutes."), false
	case errors.Is(err, store.ErrTooBroad):
		return api.NewProblem(api.CodeTooBroad,
			"The database needs too much time for this query. Select fewer reports."), false
	case errors.As(err, &indexing):
		return whileIndexing(indexing), false
	case errors.Is(err, store.ErrReadOnly):
		return api.NewProblem(api.CodeUnavailable,
			"This node is read-only: it shows what is stored and refuses every change."), false
	case errors.Is(err, blob.ErrUnavailable):
		return api.NewProblem(api.CodeUnavailable,
			"The storage of files is not reachable or not writable. Nothing was changed. Try again."), true
	case errors.Is(err, store.ErrUncertain):
		return api.NewProblem(api.CodeUnavailable,
				"The connection to the database was lost while the change was stored, so it may be "+
					"stored or not. Look before you repeat it. A request with an Idempotency-Key can be repeated as it is."),
			true
	case errors.Is(err, store.ErrUnavailable):
		return api.NewProblem(api.CodeUnavailable,
			"The database is not reachable or not writable. Nothing was changed. Try again."), true
	case ctx.Err() != nil:
		return api.NewProblem(api.CodeUnavailable, "The request ended before its response."), false
	default:
		return api.Internal(), true
	}
}
