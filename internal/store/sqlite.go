package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

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
	anyOf:    func(words []string) string { return `"` + strings.Join(words, `" OR "`) + `"` },
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
	s := &Store{engine: &sqliteEngine, db: newPool(db, &sqliteEngine, true)}
	w := newWriter(newPool(wdb, &sqliteEngine, true), s.published.raise)
	s.write = w.do
	s.origin = func(context.Context) (string, error) { return fileIdentity(path) }
	s.close = func() error {
		w.stop()
		return errors.Join(s.db.close(), w.db.close())
	}
	return s, nil
}

func sqliteDSN(path string, pragma string) string {
	q := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-32000)",
		"mmap_size(268435456)", "temp_store(MEMORY)", "journal_size_limit(67108864)", pragma}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// writer is the one goroutine that writes. It runs the transactions that wait and commits
// them together: concurrent writers share one fsync. A failed COMMIT acknowledges none of them.
type writer struct {
	db     *pool
	ctx    context.Context
	cancel context.CancelFunc
	jobs   chan *job
	done   chan struct{}
	raise  func() // something was published

	expected int           // how many the last transaction held
	commits  time.Duration // how long a commit takes, by the last ones
}

type job struct {
	ctx  context.Context
	fn   func(*Tx) error
	err  error
	done chan struct{}
}

const (
	maxBatch    = 128
	maxPatience = 2 * time.Millisecond
)

func newWriter(db *pool, raise func()) *writer {
	ctx, cancel := context.WithCancel(context.Background())
	w := &writer{db: db, raise: raise, ctx: ctx, cancel: cancel, jobs: make(chan *job, maxBatch), done: make(chan struct{})}
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

// collect returns first and what else is waiting. Requests that are on their way to the
// writer are let through before it begins. Writers that the last commit let go come back a
// moment later, so while fewer than it held have come, it waits for them: at most half as
// long as a commit takes. A writer that is alone never waits.
func (w *writer) collect(first *job) []*job {
	batch := w.drain([]*job{first})
	for before := 0; before < len(batch); {
		before = len(batch)
		runtime.Gosched()
		batch = w.drain(batch)
	}
	patience := time.NewTimer(min(w.commits/2, maxPatience))
	defer patience.Stop()
	for len(batch) < min(w.expected, maxBatch) {
		select {
		case j := <-w.jobs:
			batch = w.drain(append(batch, j))
		case <-patience.C:
			w.expected = len(batch)
			return batch
		}
	}
	w.expected = len(batch)
	return batch
}

// drain appends what is waiting right now.
func (w *writer) drain(batch []*job) []*job {
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

// commit runs the batch in one transaction. A job that fails after it has written takes its
// neighbours down with it, so the batch is run again with a savepoint around each; and when
// SQLite ends a transaction by itself (a full disk, an I/O error), each job is tried alone.
func (w *writer) commit(batch []*job) {
	outcome, err := w.attempt(batch, false)
	if outcome == spoilt {
		outcome, err = w.attempt(batch, true)
	}
	if outcome == spoilt && len(batch) > 1 {
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

type outcome int

const (
	settled outcome = iota // every job has its result, or err is everybody's
	spoilt                 // nothing is committed; the batch has to be run in another way
)

// attempt runs the batch once.
func (w *writer) attempt(batch []*job, savepoints bool) (outcome, error) {
	ctx := context.Background() // a batch that has begun is carried through
	tx := &Tx{Queries: Queries{db: w.db.executor(ctx)}}
	if _, err := tx.db.exec("BEGIN IMMEDIATE"); err != nil {
		return settled, err
	}
	alone := len(batch) == 1
	for _, j := range batch {
		if j.err = j.ctx.Err(); j.err != nil {
			continue
		}
		tx.db.wrote = false
		if !savepoints {
			j.err = protect(j.fn, tx)
		} else if err := w.guarded(tx, j); err != nil {
			j.err = err
			_, _ = tx.db.exec("ROLLBACK")
			return spoilt, err
		}
		if j.err != nil && tx.db.wrote && !savepoints {
			_, err := tx.db.exec("ROLLBACK")
			if alone {
				return settled, err
			}
			return spoilt, nil
		}
	}
	begin := time.Now()
	defer func() { w.commits += (time.Since(begin) - w.commits) / 8 }()
	if _, err := tx.db.exec("COMMIT"); err != nil {
		_, _ = tx.db.exec("ROLLBACK")
		return settled, err
	}
	if tx.published {
		w.raise()
	}
	return settled, nil
}

// guarded runs a job under a savepoint; an error says that the whole transaction is gone.
func (w *writer) guarded(tx *Tx, j *job) error {
	if _, err := tx.db.exec("SAVEPOINT job"); err != nil {
		return err
	}
	if j.err = protect(j.fn, tx); j.err != nil {
		if _, err := tx.db.exec("ROLLBACK TO job"); err != nil {
			return err
		}
	}
	_, err := tx.db.exec("RELEASE job")
	return err
}

// protect turns a panic of a closure into its error, so that no neighbour is lost with it.
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
	"slices.workspace_id, slices.fingerprint": IndexFingerprint,
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
