package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// write runs fn in a transaction on behalf of a caller and commits it. Every write of a caller
// passes here, so that no right outlives its revocation while a request is under way:
//
//   - Before fn, the transaction reads the credential again and refuses what the door would refuse
//     now. fn gets the caller as it is now.
//   - On PostgreSQL, where others commit meanwhile, the credential and every role that fn relied on
//     are compared once more as the last statement before COMMIT. What changed runs fn again.
//   - An operation whose effect outlives its token locks the credential, so that a revocation
//     waits for the commit, or the operation for the revocation.
//
// A write that names no operation is the operator's, and is refused to everybody else.
func write[T any](t *Tracker, ctx context.Context, c Caller, operation string, fn func(*store.Tx, Caller) (T, error)) (T, error) {
	return store.Write(ctx, t.store, func(tx *store.Tx) (out T, err error) {
		now, err := t.reauthorize(tx, c, operation)
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

// background runs fn in a transaction on behalf of nobody: the service's own work.
func background[T any](t *Tracker, ctx context.Context, fn func(*store.Tx) (T, error)) (T, error) {
	return store.Write(ctx, t.store, fn)
}

// task is background for closures without a result.
func task(t *Tracker, ctx context.Context, fn func(*store.Tx) error) error {
	return t.store.Write(ctx, fn)
}

// reliance is what a transaction relied on: the locks it holds, or the roles it found.
type reliance struct {
	locked bool
	roles  []store.Membership
}

var errOperatorOnly = api.Refuse(api.CodeForbidden, "This is for the operator at the command line.")

// reauthorize returns the caller as it is now, or refuses it as the door does.
func (t *Tracker) reauthorize(tx *store.Tx, c Caller, operation string) (Caller, error) {
	if c.operates() {
		return c, nil
	}
	key, ok := c.key()
	if !ok {
		return Caller{}, errNoCredential
	}
	if operation == "" {
		return Caller{}, errOperatorOnly
	}
	relies := &reliance{locked: api.Lookup(operation).Effect.Outlives()}
	if relies.locked {
		if err := tx.LockCredential(key.tokenHash); err != nil && !errors.Is(err, store.ErrNotFound) {
			return Caller{}, err
		}
	}
	cred, err := tx.Credential(key.tokenHash)
	if err != nil {
		return Caller{}, unknownToken(err)
	}
	now, err := t.callerOfKey(cred, key.tokenHash)
	if err != nil {
		return Caller{}, err
	}
	now.relies, now.Request = relies, c.Request
	return now, now.Allow(operation)
}

// confirm ends a transaction whose caller lost a right since it began: it runs again, and is refused.
func (t *Tracker) confirm(tx *store.Tx, c Caller) error {
	if c.relies == nil || c.relies.locked {
		return nil
	}
	if err := tx.WriteCharges(); err != nil { // it may wait for a row lock
		return err
	}
	key, _ := c.key()
	stands, err := tx.CredentialStands(key.tokenHash, c.Scopes, t.clock(), c.relies.roles)
	if err == nil && !stands {
		err = store.ErrConflict
	}
	return err
}

// Reauthorize returns the caller of a request that is still under way as it is now, or refuses it
// as the door does.
func (t *Tracker) Reauthorize(ctx context.Context, c Caller, operation string) (Caller, error) {
	now, err := t.reauthorize(t.store.Read(ctx), c, operation)
	now.relies = nil
	return now, err
}

// recheckEvery is how long a long answer goes on before its caller's rights are read again.
const recheckEvery = 500 * time.Millisecond

// guard checks, at most every recheckEvery, that a caller may still read what is being sent to it.
type guard struct {
	check func() error
	last  time.Time
}

// guarded returns the guard of an answer. see reads what the answer shows as the caller would.
func (t *Tracker) guarded(ctx context.Context, c Caller, operation string, see func(*store.Tx, Caller) error) *guard {
	return &guard{last: time.Now(), check: func() error {
		now, err := t.Reauthorize(ctx, c, operation)
		if err != nil {
			return err
		}
		return see(t.store.Read(ctx), now)
	}}
}

func (g *guard) allow() error {
	if time.Since(g.last) < recheckEvery {
		return nil
	}
	err := g.check()
	g.last = time.Now()
	return err
}
