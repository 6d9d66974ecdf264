// Package store keeps the service's records, in an embedded SQLite file or in PostgreSQL,
// with one SQL text for both. What must differ between them (opening, locking, full text,
// error codes) stands in sqlite.go and postgres.go.
//
// Guarantees: a Write that returns nil survives kill -9 and power loss; one that returns an
// error left nothing behind. Within a workspace, numbers and event sequences are given in
// commit order, without gaps.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Errors that callers branch on. Everything else is unforeseen.
var (
	ErrNotFound    = errors.New("store: not found")
	ErrUnavailable = errors.New("store: the database cannot be reached or written")

	// ErrConflict says that a record changed between its reading and its writing. A
	// closure that returns it is run again, in a new transaction.
	ErrConflict = errors.New("store: changed meanwhile")
)

// TakenError says that a unique value is taken. Index names the index that refused it.
type TakenError struct{ Index string }

func (e *TakenError) Error() string { return "store: taken: " + e.Index }

// Store is an open database. It is safe for concurrent use.
type Store struct {
	engine engine
	db     *sql.DB
	cache  *stmtCache // of db; nil where the driver keeps its own
	slices *sliceCache
	write  func(ctx context.Context, fn func(*Tx) error) error
	origin func(ctx context.Context) (string, error)
	close  func() error

	published signal
}

// engine is what differs between the databases outside of opening and writing.
type engine struct {
	name     string
	types    map[string]string           // DDL words of the migrations
	match    string                      // condition on slice_search, with %s for the parameter
	document func(words []string) string // what slice_search stores
	query    func(words []string) string // what match takes for all of them
	anyOf    func(words []string) string // and for any
	classify func(err error) error       // to this package's errors, or nil

	clock string // the database's time in milliseconds; empty when it has no clock of its own

	// How rows are locked, where others could have them at the same time.
	lockRow    string // against other changes; empty where writes are serial
	lockShare  string // against changes, beside others who lock it so
	lockParent string // against other claims; rows may still refer to it
	skipLocked string // and pass over what is locked
}

// Options say which database to open.
type Options struct {
	Path string // SQLite file; used when URL is empty
	URL  string // postgres://…
}

// Open opens the database without migrating it. It does not wait for an unreachable server.
func Open(o Options) (s *Store, err error) {
	if o.URL != "" {
		s, err = openPostgres(o.URL)
	} else {
		s, err = openSQLite(o.Path)
	}
	if err == nil {
		s.slices = &sliceCache{rows: map[int64]Slice{}}
	}
	return s, err
}

// Close ends the store after the writes that have begun.
func (s *Store) Close() error { return s.close() }

// Engine is "sqlite" or "postgres".
func (s *Store) Engine() string { return s.engine.name }

// Origin is what tells the database from its copies: a file from another file, a database from one that
// was restored, cloned or promoted from it. It stays the same while the database is used where it is.
func (s *Store) Origin(ctx context.Context) (string, error) { return s.origin(ctx) }

// Ping says whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.classify(s.db.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Clock returns the time of the database, and whether it has a clock other than this process's.
func (s *Store) Clock(ctx context.Context) (at time.Time, own bool, err error) {
	if s.engine.clock == "" {
		return time.Time{}, false, nil
	}
	var ms int64
	err = s.classify(s.db.QueryRowContext(ctx, s.engine.clock).Scan(&ms))
	return time.UnixMilli(ms), err == nil, err
}

// Tx runs statements under one context: in a transaction inside Write, each on its own
// snapshot otherwise. Inside Write the context is the writer's on SQLite, where others' writes
// share the transaction, and the request's on PostgreSQL.
type Tx struct {
	ctx    context.Context
	conn   conn
	cache  *stmtCache
	engine *engine
	slices *sliceCache // of what is committed; nil inside Write
	wrote  bool        // a statement that writes was run
	lock   string      // ends the reading of a record; see Held

	published bool // somebody waits for what was written

	charged   map[string]int64 // bytes of workspaces that are to be counted; see Charge
	workspace string           // whose counters were advanced last
}

// conn is what *sql.DB, *sql.Conn and *sql.Tx have in common.
type conn interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// Read returns a Tx for reading. Each statement sees its own snapshot.
func (s *Store) Read(ctx context.Context) *Tx {
	return &Tx{ctx: ctx, conn: s.db, cache: s.cache, engine: &s.engine, slices: s.slices}
}

// Held returns tx for reading a record that is changed next: until the commit nobody else changes
// it. A slice, what hangs on it, and a webhook are held before their workspace is locked. Outside
// of Write it holds nothing.
func (tx *Tx) Held() *Tx {
	held := *tx
	if tx.slices == nil {
		held.lock = tx.engine.lockRow
	}
	return &held
}

const (
	attempts = 20
	maxPause = 64 * time.Millisecond
)

// Write runs fn in a transaction and commits it durably, or leaves nothing behind. fn may
// run several times, after pauses that grow, and must touch nothing outside but its result.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	var err error
	whole := func(tx *Tx) error {
		tx.charged, tx.workspace = nil, ""
		if err := fn(tx); err != nil {
			return err
		}
		return tx.WriteCharges()
	}
	for n := range attempts {
		if err = s.write(ctx, whole); !errors.Is(err, ErrConflict) {
			return s.classify(err)
		}
		select {
		case <-time.After(rand.N(min(time.Millisecond<<n, maxPause))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Write is Store.Write for closures with a result.
func Write[T any](ctx context.Context, s *Store, fn func(*Tx) (T, error)) (T, error) {
	var out T
	err := s.Write(ctx, func(tx *Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

func (s *Store) classify(err error) error { return classify(&s.engine, err) }

// classify gives a driver's error the name this package has for it. Errors that have one
// already, and errors of closures, pass unchanged.
func classify(e *engine, err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrConflict) {
		return err
	}
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	if known := e.classify(err); known != nil {
		return known
	}
	return err
}

func (tx *Tx) query(text string, args ...any) (*sql.Rows, error) {
	tx.wrote = tx.wrote || !strings.HasPrefix(text, "SELECT")
	if stmt := tx.cache.get(tx.ctx, text); stmt != nil { //nolint:sqlclosecheck // it stays in the cache
		return stmt.QueryContext(tx.ctx, args...)
	}
	return tx.conn.QueryContext(tx.ctx, text, args...)
}

// exec runs a statement and returns how many rows it touched.
func (tx *Tx) exec(text string, args ...any) (int64, error) {
	var res sql.Result
	var err error
	tx.wrote = true
	if stmt := tx.cache.get(tx.ctx, text); stmt != nil { //nolint:sqlclosecheck // it stays in the cache
		res, err = stmt.ExecContext(tx.ctx, args...)
	} else {
		res, err = tx.conn.ExecContext(tx.ctx, text, args...)
	}
	if err != nil {
		return 0, classify(tx.engine, err)
	}
	return res.RowsAffected()
}

// list runs a query and scans every row. No query runs while rows are open: scan reads columns only.
func list[T any](tx *Tx, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	rows, err := tx.query(text, args...)
	if err != nil {
		return nil, classify(tx.engine, err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, classify(tx.engine, err)
		}
		all = append(all, v)
	}
	return all, classify(tx.engine, rows.Err())
}

// one runs a query of one row; none is ErrNotFound.
func one[T any](tx *Tx, scan func(*sql.Rows) (T, error), text string, args ...any) (T, error) {
	all, err := list(tx, scan, text, args...)
	if err == nil && len(all) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return all[0], nil
}

// scanOne scans a row of one column.
func scanOne[T any](rows *sql.Rows) (v T, err error) { return v, rows.Scan(&v) }

// stmtCache keeps prepared statements by their text. A nil cache keeps none.
type stmtCache struct {
	prepare func(ctx context.Context, text string) (*sql.Stmt, error)
	stmts   sync.Map
	size    atomic.Int64
}

const maxStmts = 400

func (c *stmtCache) get(ctx context.Context, text string) *sql.Stmt {
	if c == nil {
		return nil
	}
	if stmt, ok := c.stmts.Load(text); ok {
		return stmt.(*sql.Stmt)
	}
	if c.size.Load() >= maxStmts {
		return nil
	}
	stmt, err := c.prepare(ctx, text)
	if err != nil {
		return nil // the caller runs the text itself and reports what is wrong with it
	}
	if first, raced := c.stmts.LoadOrStore(text, stmt); raced {
		_ = stmt.Close() //nolint:sqlclosecheck // the other one is used
		return first.(*sql.Stmt)
	}
	c.size.Add(1)
	return stmt
}

// params collects the arguments of a statement whose text is put together from filters.
type params struct{ args []any }

// add appends v and returns its placeholder.
func (p *params) add(v any) string {
	p.args = append(p.args, v)
	return fmt.Sprintf("$%d", len(p.args))
}

// in returns a parenthesised list of placeholders for vs.
func in[T any](p *params, vs []T) string {
	marks := make([]string, len(vs))
	for i, v := range vs {
		marks[i] = p.add(v)
	}
	return "(" + strings.Join(marks, ", ") + ")"
}
