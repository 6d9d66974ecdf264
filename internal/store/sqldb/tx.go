package sqldb

import (
	"fmt"
	"runtime/debug"
)

// Tx is a transaction that writes, by statements of its Executor. On SQLite, several writes share a transaction,
// whose context is that of the database; on PostgreSQL each has its own, with the context of the request.
type Tx[P any] struct {
	*Executor

	// Pending is what the writes of the transaction leave to the function that Open got, which runs before the
	// COMMIT. A write, an Attempt or a Savepoint that fails restores the value that Pending had before it.
	Pending P

	notify bool // a commit is broadcast
}

// NotifyOnCommit wakes the readers that wait for DB.Commits once the transaction is committed.
func (tx *Tx[P]) NotifyOnCommit() { tx.notify = true }

// Attempt runs fn without a savepoint, and returns its error. wrote reports whether a statement of fn has written: if
// fn fails after that, only a rollback of the whole transaction undoes it. What earlier statements wrote still counts
// for the transaction.
func (tx *Tx[P]) Attempt(fn func() error) (wrote bool, err error) {
	pending, wroteBefore := tx.Pending, tx.wrote
	tx.wrote = false
	if err = recovered(fn); err != nil {
		tx.Pending = pending
	}
	wrote = tx.wrote
	tx.wrote = wrote || wroteBefore
	return wrote, err
}

// Savepoint runs fn. When fn fails, Savepoint undoes what it has changed and returns its error as failed. After err
// the transaction is lost.
func (tx *Tx[P]) Savepoint(fn func() error) (failed, err error) {
	if err := tx.Exec("SAVEPOINT request"); err != nil {
		return nil, err
	}
	pending := tx.Pending
	if failed = recovered(fn); failed != nil {
		tx.Pending = pending
		if err := tx.Exec("ROLLBACK TO request"); err != nil {
			return failed, err
		}
	}
	return failed, tx.Exec("RELEASE request")
}

// recovered runs fn and returns a panic of fn as an error, so that the process and the transactions of
// others go on.
func recovered(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}
