package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/store"
)

// Ready returns why this node cannot serve: its database does not answer, or has not the schema that this
// program needs.
func (t *Tracker) Ready(ctx context.Context) error {
	if err := t.store.Ping(ctx); err != nil {
		return err
	}
	return t.store.Migrated(ctx)
}

// Notes returns a line for each limitation under which this node serves.
func (t *Tracker) Notes() (lines []string) {
	if reason := t.RemovalSuspended(); reason != "" {
		lines = append(lines, "removal of files is suspended: "+reason)
	}
	if t.disk.Low() { // reads are served
		lines = append(lines, "the disk is nearly full: what would be stored is refused")
	}
	return lines
}

// ProblemOf returns the problem that a client is told when a method returns err. failed reports that the
// service failed, and not the request: then the cause belongs in the log.
func ProblemOf(ctx context.Context, err error) (p *api.Problem, failed bool) {
	switch {
	case errors.As(err, &p):
		return p, false
	case errors.Is(err, store.ErrUnavailable):
		return api.Refuse(api.CodeUnavailable, "The database cannot be reached or written right now. Nothing was changed; try again."), true
	case ctx.Err() != nil:
		return api.Refuse(api.CodeUnavailable, "The request was ended before it was answered."), false
	default:
		return api.Internal(), true
	}
}
