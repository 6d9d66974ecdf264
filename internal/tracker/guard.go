package tracker

import (
	"context"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// guard checks, at most every recheckEvery, that a caller may still read the response that is computed for it or sent
// to it.
type guard struct {
	check     func() error
	checkedAt time.Time
}

// newGuard returns the guard of a response. canRead returns an error when the caller may not read its subject.
func (t *Tracker) newGuard(ctx context.Context, c Caller, operation string, canRead func(store.Queries, Caller) error) *guard {
	return &guard{checkedAt: time.Now(), check: func() error {
		current, err := t.Reauthorize(ctx, c, operation)
		if err != nil {
			return err
		}
		return canRead(t.store.Read(ctx), current)
	}}
}

// newSliceGuard returns the guard of a response about a slice.
func (t *Tracker) newSliceGuard(ctx context.Context, c Caller, operation, sliceID string) *guard {
	return t.newGuard(ctx, c, operation, func(q store.Queries, c Caller) error { return errorOf(t.slice(q, c, sliceID)) })
}

// allow returns an error when the caller may not read the response any more.
func (g *guard) allow() error {
	if time.Since(g.checkedAt) < recheckEvery {
		return nil
	}
	err := g.check()
	g.checkedAt = time.Now()
	return err
}

// ResponseGuard returns a function that a front end calls while it writes a response. It returns an error when the
// caller has lost the right to the operation, or a role in a workspace, since the first call. It reads the rights at
// most every recheckEvery.
func (t *Tracker) ResponseGuard(ctx context.Context, c Caller, operation string) func() error {
	var initial []store.Membership
	var g *guard
	return func() (err error) {
		if g != nil {
			return g.allow()
		}
		initial, err = c.memberships(t.store.Read(ctx))
		g = t.newGuard(ctx, c, operation, func(q store.Queries, c Caller) error {
			current, err := q.MembershipsOf(c.ID)
			if err == nil && slices.ContainsFunc(initial, func(m store.Membership) bool { return !slices.Contains(current, m) }) {
				err = api.NewProblem(api.CodeForbidden, "A role in a workspace changed while the response was written. Repeat the request.")
			}
			return err
		})
		return err
	}
}

// Reauthorize returns the caller of a request in progress with its current rights, or refuses it as Authenticate and
// Allow do.
func (t *Tracker) Reauthorize(ctx context.Context, c Caller, operation string) (Caller, error) {
	return t.reauthorize(t.store.Read(ctx), c, operation)
}
