package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"runtime/debug"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

var sqliteEngine = engine{
	name: "sqlite",
	types: map[string]string{
		"key":    "TEXT",
		"row":    "INTEGER PRIMARY KEY AUTOINCREMENT",
		"search": "CREATE VIRTUAL TABLE slice_search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none');",
	},
	match:    "SELECT rowid FROM slice_search WHERE slice_search MATCH %s",
	document: func(words []string) string { return strings.Join(words, " ") },
	query:    func(words []string) string { return `"` + strings.Join(words, `" AND "`) + `"` },
	classify: classifySQLite,
}

// openSQLite opens the file with a pool of readers and one writer. synchronous=FULL with a
// write-ahead log means that a commit has reached the disk when it returns.
func openSQLite(path string) (*Store, error) {
	db, err := sql.Open("sqlite", sqliteDSN(path, "query_only(1)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	wdb, err := sql.Open("sqlite", sqliteDSN(path, "foreign_keys(1)"))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	wdb.SetMaxOpenConns(1)
	s := &Store{engine: sqliteEngine, db: db, cache: &stmtCache{prepare: db.PrepareContext}}
	w := newWriter(wdb, &s.engine)
	s.write = w.do
	s.close = func() error {
		w.stop()
		return errors.Join(db.Close(), wdb.Close())
	}
	return s, nil
}

func sqliteDSN(path string, pragma string) string {
	q := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-32000)",
		"mmap_size(268435456)", "temp_store(MEMORY)", "journal_size_limit(67108864)", pragma}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// writer is the one goroutine that writes. It runs the transactions that wait, each under
// its own savepoint, and commits them together: concurrent writers share one fsync. A
// failed COMMIT acknowledges none of them.
type writer struct {
	db     *sql.DB
	engine *engine
	ctx    context.Context
	cancel context.CancelFunc
	jobs   chan *job
	done   chan struct{}
	cache  *stmtCache
}

type job struct {
	ctx  context.Context
	fn   func(*Tx) error
	err  error
	done chan struct{}
}

const maxBatch = 128

func newWriter(db *sql.DB, e *engine) *writer {
	ctx, cancel := context.WithCancel(context.Background())
	w := &writer{db: db, engine: e, ctx: ctx, cancel: cancel, jobs: make(chan *job, maxBatch), done: make(chan struct{})}
	w.cache = &stmtCache{prepare: db.PrepareContext}
	go w.run()
	return w
}

// do hands fn to the writer and waits for its commit. A request that ends before its turn
// is dropped; once begun it is carried through.
func (w *writer) do(ctx context.Context, fn func(*Tx) error) error {
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.ctx.Done():
		return fmt.Errorf("%w: closed", ErrUnavailable)
	}
	select {
	case <-j.done:
		return j.err
	case <-w.done:
		return fmt.Errorf("%w: closed", ErrUnavailable)
	}
}

func (w *writer) stop() {
	w.cancel()
	<-w.done
}

func (w *writer) run() {
	defer close(w.done)
	for {
		select {
		case j := <-w.jobs:
			w.commit(w.collect(j))
		case <-w.ctx.Done():
			return
		}
	}
}

// collect returns first and what else is waiting.
func (w *writer) collect(first *job) []*job {
	batch := []*job{first}
	for len(batch) < maxBatch {
		select {
		case j := <-w.jobs:
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

// commit runs the batch in one transaction. When SQLite ends that transaction by itself
// (a full disk, an I/O error), each job is tried again alone.
func (w *writer) commit(batch []*job) {
	lost, err := w.attempt(batch)
	if lost && len(batch) > 1 {
		for _, j := range batch {
			w.commit([]*job{j})
		}
		return
	}
	for _, j := range batch {
		if err != nil && j.err == nil {
			j.err = err
		}
		close(j.done)
	}
}

// attempt runs the batch once. lost says that the whole transaction is gone before its
// commit; err is why no job of the batch is committed.
func (w *writer) attempt(batch []*job) (lost bool, err error) {
	ctx := context.Background() // a batch that has begun is carried through
	tx := &Tx{ctx: ctx, conn: w.db, cache: w.cache, engine: w.engine}
	if _, err := tx.exec("BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	for _, j := range batch {
		j.err = j.ctx.Err()
		if j.err != nil {
			continue
		}
		if lost = w.runOne(tx, j, len(batch) > 1); lost {
			_, _ = tx.exec("ROLLBACK")
			return true, j.err
		}
	}
	if len(batch) == 1 && batch[0].err != nil {
		_, err := tx.exec("ROLLBACK")
		return false, err
	}
	if _, err := tx.exec("COMMIT"); err != nil {
		_, _ = tx.exec("ROLLBACK")
		return false, err
	}
	return false, nil
}

// runOne runs a job, under a savepoint when it shares the transaction.
func (w *writer) runOne(tx *Tx, j *job, shared bool) (lost bool) {
	if !shared {
		j.err = protect(j.fn, tx)
		return false
	}
	if _, j.err = tx.exec("SAVEPOINT job"); j.err != nil {
		return true
	}
	if j.err = protect(j.fn, tx); j.err != nil {
		if _, err := tx.exec("ROLLBACK TO job"); err != nil {
			return true
		}
	}
	if _, err := tx.exec("RELEASE job"); err != nil {
		j.err = err
		return true
	}
	return false
}

// protect turns a panic of one job into its error, so that its neighbours are not lost.
func protect(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

var uniqueColumns = regexp.MustCompile(`UNIQUE constraint failed: ([a-z_.]+(?:, [a-z_.]+)*)`)

// sqliteIndexes names the unique indexes that callers ask about by the columns SQLite reports.
var sqliteIndexes = map[string]string{
	"slices.workspace_id, slices.external_id": IndexExternalID,
	"users.email": IndexEmail,
}

func classifySQLite(err error) error {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return nil
	}
	switch se.Code() & 0xff {
	case lib.SQLITE_CONSTRAINT:
		if m := uniqueColumns.FindStringSubmatch(se.Error()); m != nil {
			if name, ok := sqliteIndexes[m[1]]; ok {
				return &TakenError{Index: name}
			}
			return &TakenError{Index: m[1]}
		}
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_READONLY, lib.SQLITE_NOMEM:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}
