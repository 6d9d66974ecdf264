package access

import (
	"context"

	"bugslice/api"
	"bugslice/internal/store"
)

// InTransaction is what an operation does in its transaction, for a caller with its current rights. It may run again,
// and changes nothing but its result.
type InTransaction[T any] func(*Tx, Caller) (T, error)

// Write runs fn in a transaction on behalf of a caller and commits it. Every write of a caller
// uses it, so that a revocation takes effect on requests in progress:
//
//   - Before fn, the transaction reads the credential again and checks it, the operation's scope and the free space
//     on the disk. fn gets the caller with its current rights.
//   - On PostgreSQL, where other transactions commit meanwhile, the last statement before COMMIT but those of the search index compares
//     the credential and every role that fn has read. When one of them changed, the transaction runs again.
//   - After fn, a sensitive change of a session is refused without a recent proof of who the user is, and rolled back. So
//     every other fault is reported before the password is asked for.
//   - An operation whose effect outlives its token locks the credential, so that a revocation
//     waits for the commit, or the operation for the revocation.
//
// A write without an operation is refused to everybody but the operator.
func Write[T any](ctx context.Context, a *Access, c Caller, operation string, fn InTransaction[T]) (T, error) {
	return WriteKey(ctx, a, c, KeyChange{Operation: operation}, fn)
}

// Change is Write for a function without a result.
func Change(ctx context.Context, a *Access, c Caller, operation string, fn func(*Tx, Caller) error) error {
	_, err := Write(ctx, a, c, operation, func(tx *Tx, c Caller) (api.Nothing, error) {
		return api.Nothing{}, fn(tx, c)
	})
	return err
}

// KeyChange is an operation that changes an API key.
type KeyChange struct{ Operation, KeyID string }

// WriteKey is Write for the change of a key. Its row and that of the caller's own key are locked in the order of
// their identifiers.
func WriteKey[T any](ctx context.Context, a *Access, c Caller, change KeyChange, fn InTransaction[T]) (T, error) {
	defer c.requestRoles.changed()
	return store.Write(ctx, a.store, func(of *store.Tx) (out T, err error) {
		tx := newTx(of)
		current, err := a.authorizeWrite(tx, c, change)
		if err != nil {
			return out, err
		}
		if out, err = fn(tx, current); err != nil {
			return out, err
		}
		if err := current.requireProof(tx); err != nil {
			return *new(T), err
		}
		return out, a.verifyRights(tx, current)
	})
}

// SystemWrite runs fn in a transaction of the service itself, without a caller.
func SystemWrite[T any](ctx context.Context, a *Authority, fn func(*Tx) (T, error)) (T, error) {
	return store.Write(ctx, a.store, func(tx *store.Tx) (T, error) { return fn(newTx(tx)) })
}

// SystemChange is SystemWrite for a function without a result.
func SystemChange(ctx context.Context, a *Authority, fn func(*Tx) error) error {
	return a.store.Write(ctx, func(tx *store.Tx) error { return fn(newTx(tx)) })
}

// Reauthorize returns the caller of a request in progress with its current rights, or refuses it as Authenticate and
// Allow do.
func (a *Access) Reauthorize(ctx context.Context, c Caller, operation string) (Caller, error) {
	c.requestRoles.changed()
	return a.reauthorize(a.Read(ctx), c, operation)
}

func (a *Access) reauthorize(q Queries, c Caller, operation string) (Caller, error) {
	if c.Credential == nil {
		return Caller{}, ErrNoCredential
	}
	if operation == "" {
		if !c.IsOperator() {
			return Caller{}, errOperatorOnly
		}
		return c, nil
	}
	current, err := c.Credential.current(q, a.clock(), c)
	if err != nil {
		return Caller{}, err
	}
	current.Request = c.Request
	return current, current.Allow(operation)
}

// authorizeWrite returns the caller of a write with its current rights, or refuses it. It locks the credential, and
// makes the transaction lock each role that it reads, for an operation that requires this. Otherwise verifyRights
// compares them.
func (a *Access) authorizeWrite(tx *Tx, c Caller, change KeyChange) (Caller, error) {
	operation := change.Operation
	if operation != "" && c.Credential != nil {
		op := api.Lookup(operation)
		tx.proof = op.Proof
		if op.Effect.LocksCredential() {
			if err := c.Credential.lock(tx, op, change.KeyID); err != nil {
				return Caller{}, err
			}
			tx.read.lockRole = tx.LockRole
		}
	}
	current, err := a.reauthorize(tx.Queries, c, operation)
	if err != nil {
		return Caller{}, err
	}
	tx.operation = operation
	if !current.IsOperator() {
		tx.Queries.read = &tx.read
	}
	if operation == "" {
		return current, nil
	}
	return current, a.CheckDisk(operation)
}

// requireProof refuses a sensitive change of a session without a recent proof of who the user is.
func (c Caller) requireProof(tx *Tx) error {
	if s, ok := c.Credential.(SessionCredential); ok && tx.proof && !s.proved {
		return ErrProofNeeded
	}
	return nil
}

// verifyRights returns ErrConflict when the caller has lost a right since its transaction began: the transaction runs
// again, and the caller is refused.
func (a *Access) verifyRights(tx *Tx, c Caller) error {
	if tx.Queries.read == nil {
		return nil
	}
	if err := tx.Apply(); err != nil { // first, because it may wait for a row lock
		return err
	}
	if tx.read.lockRole != nil { // the locked rows cannot have changed, but the credential may have expired
		if c.Credential.expired(a.clock()) {
			return store.ErrConflict
		}
		return nil
	}
	unchanged, err := c.Credential.valid(tx, a.clock(), c)
	if err == nil && !unchanged {
		err = store.ErrConflict
	}
	return err
}
