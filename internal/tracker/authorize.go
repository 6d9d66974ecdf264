package tracker

import (
	"context"
	"errors"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// write runs fn in a transaction on behalf of a caller and commits it. Every write of a caller
// passes here, so that no right outlives its revocation while a request is under way:
//
//   - Before fn, the transaction reads the credential again and refuses what the door would refuse
//     now, for want of a right or of room on the disk. fn gets the caller as it is now.
//   - On PostgreSQL, where others commit meanwhile, the credential and every role that fn relied on
//     are compared once more as the last statement before COMMIT. What changed runs fn again.
//   - An operation whose effect outlives its token locks the credential, so that a revocation
//     waits for the commit, or the operation for the revocation.
//
// A write that names no operation is the operator's, and is refused to everybody else.
func write[T any](t *Tracker, ctx context.Context, c Caller, operation string, fn func(*store.Tx, Caller) (T, error)) (T, error) {
	return store.Write(ctx, t.store, func(tx *store.Tx) (out T, err error) {
		now, err := t.admit(tx, c, operation)
		if err != nil {
			return out, err
		}
		if out, err = fn(tx, now); err != nil {
			return out, err
		}
		return out, t.confirm(tx, now)
	})
}

// change is write for closures without a result.
func change(t *Tracker, ctx context.Context, c Caller, operation string, fn func(*store.Tx, Caller) error) error {
	_, err := write(t, ctx, c, operation, func(tx *store.Tx, c Caller) (api.Nothing, error) { return api.Nothing{}, fn(tx, c) })
	return err
}

// isRefusal says whether an error is a refusal. A write that is refused stored nothing; behind any other
// error, such as a connection that broke during COMMIT, its effect may stand.
func isRefusal(err error) bool {
	var p *api.Problem
	return errors.As(err, &p)
}

// background runs fn in a transaction on behalf of nobody: the service's own work.
func background[T any](t *Tracker, ctx context.Context, fn func(*store.Tx) (T, error)) (T, error) {
	return store.Write(ctx, t.store, fn)
}

// task is background for closures without a result.
func task(t *Tracker, ctx context.Context, fn func(*store.Tx) error) error {
	return t.store.Write(ctx, fn)
}

// readSet is what a transaction relied on: the locks it holds, or the roles it found.
type readSet struct {
	lockRole func(workspaceID, userID string) (api.Role, error) // nil unless the credential and each role are locked
	roles    []store.Membership
}

var errOperatorOnly = api.Refuse(api.CodeForbidden, "This is for the operator at the command line.")

// reauthorize returns the caller as it is now, or refuses it as the door does.
func (t *Tracker) reauthorize(q store.Queries, c Caller, operation string) (Caller, error) {
	if c.isOperator() {
		return c, nil
	}
	key, ok := c.key()
	if !ok {
		return Caller{}, errNoCredential
	}
	if operation == "" {
		return Caller{}, errOperatorOnly
	}
	cred, err := q.Credential(key.tokenHash)
	if err != nil {
		return Caller{}, unknownToken(err)
	}
	now, err := t.callerOfKey(cred, key.tokenHash)
	if err != nil {
		return Caller{}, err
	}
	now.Request = c.Request
	return now, now.Allow(operation)
}

// admit returns the caller of a write as it is now, or refuses it as the door does.
func (t *Tracker) admit(tx *store.Tx, c Caller, operation string) (Caller, error) {
	relies := &readSet{}
	if key, ok := c.key(); ok && operation != "" && api.Lookup(operation).Effect.Outlives() {
		if err := tx.LockCredential(key.tokenHash, c.changes); err != nil {
			return Caller{}, err
		}
		relies.lockRole = tx.LockRole
	}
	now, err := t.reauthorize(tx.Queries, c, operation)
	if err == nil && !now.isOperator() {
		now.readSet = relies
	}
	if err == nil && operation != "" {
		err = t.CheckDisk(operation)
	}
	return now, err
}

// confirm ends a transaction whose caller lost a right since it began: it runs again, and is refused.
func (t *Tracker) confirm(tx *store.Tx, c Caller) error {
	if c.readSet == nil {
		return nil
	}
	if err := tx.WriteCharges(); err != nil { // it may wait for a row lock
		return err
	}
	if c.readSet.lockRole != nil { // against everything but the time
		if end := c.ExpiresAt; end != nil && !t.clock().Before(end.Time) {
			return store.ErrConflict
		}
		return nil
	}
	key, _ := c.key()
	stands, err := tx.CredentialStands(key.tokenHash, c.Scopes, t.clock(), c.readSet.roles)
	if err == nil && !stands {
		err = store.ErrConflict
	}
	return err
}

// Reauthorize returns the caller of a request that is still under way as it is now, or refuses it
// as the door does.
func (t *Tracker) Reauthorize(ctx context.Context, c Caller, operation string) (Caller, error) {
	return t.reauthorize(t.store.Read(ctx), c, operation)
}

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
