package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/store"
)

// write runs fn in a transaction on behalf of a caller and commits it. Every write of a caller
// uses it, so that a revocation takes effect on requests in progress:
//
//   - Before fn, the transaction reads the credential again and checks it, the operation's scope and the free space
//     on the disk. fn gets the caller with its current rights.
//   - On PostgreSQL, where other transactions commit meanwhile, the last statement before COMMIT but those of the search index compares
//     the credential and every role that fn has read. When one of them changed, the transaction runs again.
//   - After fn, a sensitive change of a session is refused without a recent proof of the password, and rolled back. So
//     every other fault is reported before the password is asked for.
//   - An operation whose effect outlives its token locks the credential, so that a revocation
//     waits for the commit, or the operation for the revocation.
//
// A write without an operation is refused to everybody but the operator.
func write[T any](t *Tracker, ctx context.Context, c Caller, operation string, fn inTransaction[T]) (T, error) {
	defer c.requestRoles.changed()
	return store.Write(ctx, t.store, func(tx *store.Tx) (out T, err error) {
		current, err := t.authorizeWrite(tx, c, operation)
		if err != nil {
			return out, err
		}
		if out, err = fn(tx, current); err != nil {
			return out, err
		}
		if err := current.requireProof(); err != nil {
			return *new(T), err
		}
		return out, t.verifyRights(tx, current)
	})
}

// inTransaction is what an operation does in its transaction, for a caller with its current rights. It may run again, and changes nothing
// but its result.
type inTransaction[T any] func(*store.Tx, Caller) (T, error)

// change is write for a function without a result.
func change(t *Tracker, ctx context.Context, c Caller, operation string, fn func(*store.Tx, Caller) error) error {
	_, err := write(t, ctx, c, operation, func(tx *store.Tx, c Caller) (api.Nothing, error) { return api.Nothing{}, fn(tx, c) })
	return err
}

// systemWrite runs fn in a transaction of the service itself, without a caller.
func systemWrite[T any](t *Tracker, ctx context.Context, fn func(*store.Tx) (T, error)) (T, error) {
	return store.Write(ctx, t.store, fn)
}

// systemChange is systemWrite for a function without a result.
func systemChange(t *Tracker, ctx context.Context, fn func(*store.Tx) error) error {
	return t.store.Write(ctx, fn)
}

// reauthorize returns the caller with its current rights, or refuses it as Authenticate and Allow do.
func (t *Tracker) reauthorize(q store.Queries, c Caller, operation string) (Caller, error) {
	if c.Credential == nil {
		return Caller{}, errNoCredential
	}
	if operation == "" {
		if !c.isOperator() {
			return Caller{}, errOperatorOnly
		}
		return c, nil
	}
	current, err := c.Credential.current(q, t.clock(), c)
	if err != nil {
		return Caller{}, err
	}
	current.Request = c.Request
	return current, current.Allow(operation)
}

// authorizeWrite returns the caller of a write with its current rights, or refuses it. It locks the credential, and makes
// the caller lock each role that it reads, for an operation that requires this. Otherwise verifyRights compares them.
func (t *Tracker) authorizeWrite(tx *store.Tx, c Caller, operation string) (Caller, error) {
	set := &readSet{}
	if operation != "" && c.Credential != nil {
		op := api.Lookup(operation)
		set.proof = op.Proof
		if op.Effect.LocksCredential() {
			if err := c.Credential.lock(tx, c, op); err != nil {
				return Caller{}, err
			}
			set.lockRole = tx.LockRole
		}
	}
	current, err := t.reauthorize(tx.Queries, c, operation)
	if err != nil {
		return Caller{}, err
	}
	current.operation = operation
	if !current.isOperator() {
		current.readSet = set
	}
	if operation == "" {
		return current, nil
	}
	return current, t.CheckDisk(operation)
}

// verifyRights returns ErrConflict when the caller has lost a right since its transaction began: the transaction runs
// again, and the caller is refused.
func (t *Tracker) verifyRights(tx *store.Tx, c Caller) error {
	if c.readSet == nil {
		return nil
	}
	if err := tx.Apply(); err != nil { // first, because it may wait for a row lock
		return err
	}
	if c.readSet.lockRole != nil { // the locked rows cannot have changed, but the credential may have expired
		if c.Credential.expired(t.clock()) {
			return store.ErrConflict
		}
		return nil
	}
	unchanged, err := c.Credential.valid(tx, t.clock(), c)
	if err == nil && !unchanged {
		err = store.ErrConflict
	}
	return err
}
