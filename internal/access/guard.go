package access

import (
	"context"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// Guard checks, at most every RecheckEvery, that a caller may still read the response that is computed for it or sent
// to it.
type Guard struct {
	check     func() error
	checkedAt time.Time
}

// NewGuard returns the guard of a response. canRead returns an error when the caller may not read its subject.
func (a *Access) NewGuard(ctx context.Context, c Caller, operation string, canRead func(Queries, Caller) error) *Guard {
	return &Guard{checkedAt: time.Now(), check: func() error {
		current, err := a.Reauthorize(ctx, c, operation)
		if err == nil {
			err = current.Admitted()
		}
		if err != nil {
			return err
		}
		return canRead(a.Read(ctx), current)
	}}
}

// NewSliceGuard returns the guard of a response about a slice.
func (a *Access) NewSliceGuard(ctx context.Context, c Caller, operation, sliceID string) *Guard {
	return a.NewGuard(ctx, c, operation, func(q Queries, c Caller) error {
		_, err := c.Slice(q, sliceID)
		return err
	})
}

// Allow returns an error when the caller may not read the response any more.
func (g *Guard) Allow() error {
	if time.Since(g.checkedAt) < RecheckEvery {
		return nil
	}
	err := g.check()
	g.checkedAt = time.Now()
	return err
}

// ResponseGuard returns a function that a front end calls while it writes a response. It returns an error when the
// caller has lost the right to the operation, or a role in a workspace, since the first call. It reads the rights at
// most every RecheckEvery.
func (a *Access) ResponseGuard(ctx context.Context, c Caller, operation string) func() error {
	var initial []store.Membership
	var g *Guard
	return func() (err error) {
		if g != nil {
			return g.Allow()
		}
		initial, err = c.Memberships(a.Read(ctx))
		g = a.NewGuard(ctx, c, operation, func(q Queries, c Caller) error {
			current, err := q.MembershipsOf(c.ID)
			if err == nil && slices.ContainsFunc(initial, func(m store.Membership) bool {
				return !slices.Contains(current, m)
			}) {
				err = api.NewProblem(api.CodeForbidden,
					"A role in a workspace changed while the response was written. Repeat the request.")
			}
			return err
		})
		return err
	}
}
