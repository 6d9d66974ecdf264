package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
	"context"
	"slices"
	"time"
)

// recheckEvery is how long a long answer goes on before its caller's rights are read again.
const recheckEvery = 500 * time.Millisecond

// guard checks, at most every recheckEvery, that a caller may still read what is being made for it or sent to it.
type guard struct {
	check func() error
	last  time.Time
}

// guarded returns the guard of an answer. see reads what the answer shows as the caller would.
func (t *Tracker) guarded(ctx context.Context, c Caller, operation string, see func(store.Queries, Caller) error) *guard {
	return &guard{last: time.Now(), check: func() error {
		now, err := t.Reauthorize(ctx, c, operation)
		if err != nil {
			return err
		}
		return see(t.store.Read(ctx), now)
	}}
}

// guardedSlice returns the guard of what is made from a slice.
func (t *Tracker) guardedSlice(ctx context.Context, c Caller, operation, sliceID string) *guard {
	return t.guarded(ctx, c, operation, func(q store.Queries, c Caller) error { return errorOf(t.slice(q, c, sliceID)) })
}

func (g *guard) allow() error {
	if time.Since(g.last) < recheckEvery {
		return nil
	}
	err := g.check()
	g.last = time.Now()
	return err
}

// Continued returns a function that refuses when the caller of an answer that is being written lost its
// right to the operation, or a role in a workspace, since the function was called first. It reads rights at
// most every recheckEvery.
func (t *Tracker) Continued(ctx context.Context, c Caller, operation string) func() error {
	var begun []store.Membership
	var g *guard
	return func() (err error) {
		if g != nil {
			return g.allow()
		}
		begun, err = t.store.Read(ctx).MembershipsOf(c.ID)
		g = t.guarded(ctx, c, operation, func(q store.Queries, c Caller) error {
			now, err := q.MembershipsOf(c.ID)
			if err == nil && slices.ContainsFunc(begun, func(m store.Membership) bool { return !slices.Contains(now, m) }) {
				err = api.Refuse(api.CodeForbidden, "A role in a workspace changed while the answer was written. Ask again.")
			}
			return err
		})
		return err
	}
}

// Reauthorize returns the caller of a request that is still under way as it is now, or refuses it
// as the door does.
func (t *Tracker) Reauthorize(ctx context.Context, c Caller, operation string) (Caller, error) {
	return t.reauthorize(t.store.Read(ctx), c, operation)
}
