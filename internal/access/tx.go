package access

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/store"
)

// Queries reads records. Those of a transaction know the rights on which the transaction depends: a role that is read
// for its caller is locked, or compared at its end.
type Queries struct {
	store.Queries

	read *readSet // of the transaction of a caller; nil outside of one, and for the operator
}

// Tx reads and writes in a transaction. Only this package makes one: for a caller with the right to an operation, or
// for an Authority.
type Tx struct {
	*store.Tx

	Queries   Queries
	operation string
	proof     bool // whether a session needs a proof of who the user is
	read      readSet
}

func newTx(of *store.Tx) *Tx { return &Tx{Tx: of, Queries: Queries{Queries: of.Queries}} }

// Operation returns the operation of the transaction, empty for that of the operator and of background work.
func (tx *Tx) Operation() string { return tx.operation }

// NeedsProof decides by what the transaction changes whether a session needs a proof of who the user is. Otherwise the
// row of the operation decides.
func (tx *Tx) NeedsProof(needed bool) { tx.proof = needed }

// Attempt is that of the store.
func (tx *Tx) Attempt(fn func(*Tx) error) (wrote bool, err error) {
	return tx.Tx.Attempt(func(*store.Tx) error { return fn(tx) })
}

// Savepoint is that of the store.
func (tx *Tx) Savepoint(fn func(*Tx) error) (failed, err error) {
	return tx.Tx.Savepoint(func(*store.Tx) error { return fn(tx) })
}

// readSet is the authority that a transaction depends on. Either it has locked the credential, and locks every role it
// reads, or verifyRights compares both at its end.
type readSet struct {
	lockRole func(workspaceID, userID string) (api.Role, error) // reads and locks a role; nil without locks
	roles    []store.Membership
}

// roleOf returns the role that was read.
func (s *readSet) roleOf(workspaceID, userID string) (role api.Role, ok bool) {
	i := slices.IndexFunc(s.roles, func(m store.Membership) bool {
		return m.WorkspaceID == workspaceID && m.UserID == userID
	})
	if i < 0 {
		return "", false
	}
	return s.roles[i].Role, true
}
