package tracker

import (
	"context"

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

// background runs fn in a transaction on behalf of nobody: the service's own work.
func background[T any](t *Tracker, ctx context.Context, fn func(*store.Tx) (T, error)) (T, error) {
	return store.Write(ctx, t.store, fn)
}

// task is background for closures without a result.
func task(t *Tracker, ctx context.Context, fn func(*store.Tx) error) error {
	return t.store.Write(ctx, fn)
}

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
	set := &readSet{}
	if key, ok := c.key(); ok && operation != "" && api.Lookup(operation).Effect.Outlives() {
		if err := tx.LockCredential(key.tokenHash, c.changes); err != nil {
			return Caller{}, err
		}
		set.lockRole = tx.LockRole
	}
	now, err := t.reauthorize(tx.Queries, c, operation)
	now.operation = operation
	if err == nil && !now.isOperator() {
		now.readSet = set
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
