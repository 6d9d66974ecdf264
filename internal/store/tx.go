package store

import (
	"fmt"
	"maps"
	"runtime/debug"

	"bugslice/internal/store/termindex"
)

// Queries reads records. From Store.Read, each statement sees its own snapshot. Within a Tx, it reads in the
// transaction.
type Queries struct {
	db *executor
	caches
}

// caches are of committed slices; nil in a transaction.
type caches struct {
	slices   *rowCache[Slice]
	compared *rowCache[*Compared]
}

// Tx reads and writes in the transaction of a Write. Its context is the writer's on SQLite, where several
// writes share a transaction, and the request's on PostgreSQL.
//
// The methods Lock… read a record with a row lock, which keeps others from changing the record until the
// commit. A transaction locks identifiers of slices first, then slices, their attachments and comments, and webhooks before their
// workspace, and the statistics of the workspace last. On SQLite, where writes are serial, the methods lock nothing.
type Tx struct {
	Queries

	notify bool // a commit is broadcast

	grouped bool              // the transaction has several changes, whose events and sequences are pending
	locked  map[string]*Slice // slices that LockSlices has read and LockSlice has not

	earlier []sliceUpdate // pending updates of attempts that have succeeded

	pending
}

// pending is what the end of a transaction writes.
type pending struct {
	charges   map[string]int64    // bytes by workspace; see Charge
	recounts  []recount           // changes of statistics
	documents []termindex.Change  // of slices, which are written last
	counters  map[string]Counters // of the workspaces that a grouped transaction has locked
	sequences map[string]int      // reserved from these
	events    []Event             // of a grouped transaction
	workspace string              // the workspace whose counters were changed last
	updates   []sliceUpdate       // of slices, which are written before the next statement
}

func (p pending) clonePending() pending {
	p.charges = maps.Clone(p.charges)
	p.counters, p.sequences = maps.Clone(p.counters), maps.Clone(p.sequences)
	return p
}

// NotifyOnCommit wakes the readers that wait for Store.Commits once the transaction is committed.
func (tx *Tx) NotifyOnCommit() { tx.notify = true }

// Attempt runs fn without a savepoint, and returns its error. wrote is whether fn has written: only the end of the transaction undoes what
// it wrote before it failed. What is pending when fn fails is not written.
func (tx *Tx) Attempt(fn func(*Tx) error) (wrote bool, err error) {
	before, wroteBefore := tx.clonePending(), tx.db.wrote
	tx.db.wrote = false
	if err = runRecovered(fn, tx); err != nil {
		tx.pending = before
	}
	wrote = tx.db.wrote
	tx.earlier, tx.updates = append(tx.earlier, tx.updates...), nil
	tx.db.wrote = wrote || wroteBefore || len(tx.earlier) > 0
	return wrote, err
}

// Savepoint runs fn. When fn fails, Savepoint undoes what it has written and returns its error as failed. After err the transaction is
// lost.
func (tx *Tx) Savepoint(fn func(*Tx) error) (failed, err error) {
	if err := tx.db.exec("SAVEPOINT request"); err != nil {
		return nil, err
	}
	before := tx.clonePending()
	if failed = runRecovered(fn, tx); failed != nil {
		tx.pending = before
		if err := tx.db.exec("ROLLBACK TO request"); err != nil {
			return failed, err
		}
	}
	return failed, tx.db.exec("RELEASE request")
}

// runRecovered runs fn and returns a panic of fn as an error, so that the process and the transactions of
// others go on.
func runRecovered(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}
