package store

import (
	"maps"
	"time"

	"bugslice/internal/store/factors"
	"bugslice/internal/store/identities"
	"bugslice/internal/store/mails"
	"bugslice/internal/store/notices"
	"bugslice/internal/store/pictures"
	"bugslice/internal/store/policies"
	"bugslice/internal/store/reactions"
	"bugslice/internal/store/reporters"
	"bugslice/internal/store/sealed"
	"bugslice/internal/store/sources"
	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/termindex"
	"bugslice/internal/store/testcounts"
	"bugslice/internal/store/uploads"
)

// Queries reads records. From Store.Read, each statement sees its own snapshot. Within a Tx, it reads in the
// transaction.
type Queries struct {
	db *sqldb.Executor
	caches
	timeLimit time.Duration // of lists; see Options

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
// The methods Lock… read a record with a row lock, which keeps others from changing the record until the commit. A
// transaction locks identifiers of slices first, then slices, their attachments and comments, and webhooks before
// their workspace, and the statistics of the workspace last. On SQLite, where writes are serial, the methods lock
// nothing.
//
// Changes of slices, events, charges and what follows from them are not written where they are made: Apply writes
// them. Before that, a query of the transaction does not see them; a query that must see the slices calls ApplySlices.
type Tx struct {
	Queries
	changes

	shared *transaction
}

// transaction is a transaction of the database, with what all writes that share it have changed; see flush.
type transaction = sqldb.Tx[pending]

type pending struct {
	statistics []recount // on SQLite, where no row is locked
	documents  []termindex.Change
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
func (tx *Tx) NotifyOnCommit() { tx.shared.NotifyOnCommit() }

// mark returns a function that takes back the changes that are made after it and not written.
func (tx *Tx) mark() (takeBack func()) {
	before := tx.changes
	before.charges = maps.Clone(before.charges)
	before.counters, before.sequences = maps.Clone(before.counters), maps.Clone(before.sequences)
	return func() { tx.changes = before }
}

// Attempt runs fn without a savepoint, and returns its error. wrote reports whether a statement of fn has written: if
// fn fails after that, only a rollback of the whole transaction undoes it. Changes that are not written are taken
// back.
func (tx *Tx) Attempt(fn func(*Tx) error) (wrote bool, err error) {
	takeBack := tx.mark()
	if wrote, err = tx.shared.Attempt(func() error { return fn(tx) }); err != nil {
		takeBack()
	}
	return wrote, err
}

// Savepoint runs fn. When fn fails, Savepoint undoes what it has changed and returns its error as failed. After err
// the transaction is lost.
func (tx *Tx) Savepoint(fn func(*Tx) error) (failed, err error) {
	takeBack := tx.mark()
	if failed, err = tx.shared.Savepoint(func() error { return fn(tx) }); failed != nil {
		takeBack()
	}
	return failed, err
}

// Pictures reads the pictures of users.
func (q Queries) Pictures() pictures.Reader { return pictures.Reader{DB: q.db} }

// Pictures changes the pictures of users.
func (tx *Tx) Pictures() pictures.Writer { return pictures.Writer{DB: tx.db} }

// Factors reads the factors of users.
func (q Queries) Factors() factors.Reader { return factors.Reader{DB: q.db} }

// Factors changes the factors of users.
func (tx *Tx) Factors() factors.Writer { return factors.Writer{Reader: tx.Queries.Factors()} }

// Sealed reads the encrypted secrets of all kinds.
func (q Queries) Sealed() sealed.Reader { return sealed.Reader{DB: q.db} }

// Sealed changes the encrypted secrets of all kinds.
func (tx *Tx) Sealed() sealed.Writer { return sealed.Writer{Reader: tx.Queries.Sealed()} }

// Reactions reads reactions.
func (q Queries) Reactions() reactions.Reader { return reactions.Reader{DB: q.db} }

// Reactions changes reactions.
func (tx *Tx) Reactions() reactions.Writer { return reactions.Writer{DB: tx.db} }

// Notices reads notices and watches.
func (q Queries) Notices() notices.Reader { return notices.Reader{DB: q.db} }

// Notices changes notices and watches.
func (tx *Tx) Notices() notices.Writer { return notices.Writer{Reader: tx.Queries.Notices()} }

// Mails reads the mails that wait.
func (q Queries) Mails() mails.Reader { return mails.Reader{DB: q.db} }

// Mails changes the mails that wait.
func (tx *Tx) Mails() mails.Writer { return mails.Writer{Reader: tx.Queries.Mails()} }

// Tests reads the counts of tests.
func (q Queries) Tests() testcounts.Reader { return testcounts.Reader{DB: q.db} }

// Tests counts tests.
func (tx *Tx) Tests() testcounts.Writer { return testcounts.Writer{DB: tx.db} }

// Uploads reads what visitors send.
func (q Queries) Uploads() uploads.Reader { return uploads.Reader{DB: q.db} }

// Uploads changes what visitors send.
func (tx *Tx) Uploads() uploads.Writer { return uploads.Writer{Reader: tx.Queries.Uploads()} }

// Policies reads the policies of organisations.
func (q Queries) Policies() policies.Reader { return policies.Reader{DB: q.db} }

// Policies changes the policies of organisations.
func (tx *Tx) Policies() policies.Writer { return policies.Writer{Reader: tx.Queries.Policies()} }

// Identities reads the providers of organisations and who their users are there.
func (q Queries) Identities() identities.Reader { return identities.Reader{DB: q.db} }

// Identities changes the providers of organisations and who their users are there.
func (tx *Tx) Identities() identities.Writer {
	return identities.Writer{Reader: tx.Queries.Identities()}
}

// Sources reads sources and the submissions of their visitors.
func (q Queries) Sources() sources.Reader { return sources.Reader{DB: q.db} }

// Sources changes sources and the submissions of their visitors.
func (tx *Tx) Sources() sources.Writer { return sources.Writer{Reader: tx.Queries.Sources()} }

// Reporters reads the pages of reporters.
func (q Queries) Reporters() reporters.Reader { return reporters.Reader{DB: q.db} }

// Reporters changes the pages of reporters.
func (tx *Tx) Reporters() reporters.Writer { return reporters.Writer{Reader: tx.Queries.Reporters()} }
