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

	snapshot func(func(Queries) error) error // reads as of one instant; nil in a transaction
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
//
// Changes of slices, events, charges and what follows from them are not written where they are made: Apply writes them. A query of the
// transaction does not see them before; ApplySlices writes the slices for one that must.
type Tx struct {
	Queries
	changes

	statistics []recount          // of all writes that share the transaction, on SQLite; see flush
	documents  []termindex.Change // of all writes that share the transaction; see flush

	notify bool // a commit is broadcast
}

// changes are what a write has changed and Apply has not written yet.
type changes struct {
	slices    []sliceUpdate    // each over the version before it
	charges   map[string]int64 // bytes by workspace; see Charge
	sequences map[string]int   // events of workspaces for which counters has reserved no sequence in the database yet
	events    []Event          // in their order
	recounts  []recount        // changes of statistics

	locked    map[string]*Slice   // slices that LockSlices has read and LockSlice has not returned
	counters  map[string]Counters // of the workspaces that NextSequence has locked
	workspace string              // the workspace whose counters were changed last
}

// NotifyOnCommit wakes the readers that wait for Store.Commits once the transaction is committed.
func (tx *Tx) NotifyOnCommit() { tx.notify = true }

// mark returns a function that takes back the changes that are made after it and not written.
func (tx *Tx) mark() (takeBack func()) {
	before, statistics, documents := tx.changes, tx.statistics, tx.documents
	before.charges = maps.Clone(before.charges)
	before.counters, before.sequences = maps.Clone(before.counters), maps.Clone(before.sequences)
	return func() { tx.changes, tx.statistics, tx.documents = before, statistics, documents }
}

// Attempt runs fn without a savepoint, and returns its error. wrote is whether a statement has written meanwhile: when fn fails after it,
// only the end of the transaction undoes what fn has written. Changes that are not written are taken back.
func (tx *Tx) Attempt(fn func(*Tx) error) (wrote bool, err error) {
	takeBack, wroteBefore := tx.mark(), tx.db.wrote
	tx.db.wrote = false
	if err = runRecovered(fn, tx); err != nil {
		takeBack()
	}
	wrote = tx.db.wrote
	tx.db.wrote = wrote || wroteBefore
	return wrote, err
}

// Savepoint runs fn. When fn fails, Savepoint undoes what it has changed and returns its error as failed. After err the transaction is
// lost.
func (tx *Tx) Savepoint(fn func(*Tx) error) (failed, err error) {
	if err := tx.db.exec("SAVEPOINT request"); err != nil {
		return nil, err
	}
	takeBack := tx.mark()
	if failed = runRecovered(fn, tx); failed != nil {
		takeBack()
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
