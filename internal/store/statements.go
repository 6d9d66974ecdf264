package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// PoolStats are the numbers of the connections of a pool.
type PoolStats = sql.DBStats

// Record is a row of a table by its columns.
type Record map[string]any

// row is a row of a result.
type row interface{ Scan(dest ...any) error }

// executor runs statements under one context: in a transaction, or each on its own snapshot. All statements of the
// package run through it.
type executor struct {
	ctx    context.Context
	conn   conn
	cache  *stmtCache
	engine *engine
	wrote  bool // since it was reset, a statement wrote

	timeLimit time.Duration // of lists; see Options
}

// pool is the connections to a database with their prepared statements.
type pool struct {
	db     *sql.DB
	cache  *stmtCache // nil if the driver has a cache
	engine *engine

	snapshot *sql.TxOptions // of a transaction that reads as of one instant

	timeLimit time.Duration // of lists; see Options
}

// newCachingPool returns the pool of db with a cache of prepared statements, for a driver that has none.
func newCachingPool(db *sql.DB, e *engine) *pool {
	return &pool{db: db, engine: e, cache: &stmtCache{prepare: db.PrepareContext}}
}

// executor returns an executor outside of a transaction.
func (p *pool) executor(ctx context.Context) *executor {
	return &executor{ctx: ctx, conn: p.db, cache: p.cache, engine: p.engine, timeLimit: p.timeLimit}
}

// transaction runs fn in a transaction and commits it, or rolls it back if fn fails. When the connection is lost during the commit of
// changes, the error is an ErrUncertain.
func (p *pool) transaction(ctx context.Context, options *sql.TxOptions, fn func(*executor) error) error {
	t, err := p.db.BeginTx(ctx, options)
	if err != nil {
		return classify(p.engine, err)
	}
	defer func() { _ = t.Rollback() }()
	x := &executor{ctx: ctx, conn: t, engine: p.engine}
	if err := fn(x); err != nil {
		return classify(p.engine, err)
	}
	err = classify(p.engine, t.Commit())
	if x.wrote && errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return err
}

// runEach runs statements outside of a transaction, on a connection that writes.
func (p *pool) runEach(ctx context.Context, statements []string) error {
	for _, text := range statements {
		if _, err := p.db.ExecContext(ctx, text); err != nil {
			return classify(p.engine, err)
		}
	}
	return nil
}

func (p *pool) close() error { return p.db.Close() }

// conn is a *sql.DB or *sql.Tx.
type conn interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// query runs a statement that returns rows.
func (x *executor) query(text string, args ...any) (*sql.Rows, error) {
	x.wrote = x.wrote || !strings.HasPrefix(text, "SELECT")
	var rows *sql.Rows
	var err error
	if stmt := x.cache.get(x.ctx, text); stmt != nil { //nolint:sqlclosecheck // the cache has it
		rows, err = stmt.QueryContext(x.ctx, args...)
	} else {
		rows, err = x.conn.QueryContext(x.ctx, text, args...)
	}
	return rows, classify(x.engine, err)
}

// exec runs a statement without a result.
func (x *executor) exec(text string, args ...any) error {
	_, err := x.execCount(text, args...)
	return err
}

// execOne runs a statement that must change a row. It returns missing if the statement changed none.
func (x *executor) execOne(missing error, text string, args ...any) error {
	n, err := x.execCount(text, args...)
	if err == nil && n == 0 {
		err = missing
	}
	return err
}

// execCount runs a statement and returns the number of rows that it changed.
func (x *executor) execCount(text string, args ...any) (int64, error) {
	var res sql.Result
	var err error
	x.wrote = true
	if stmt := x.cache.get(x.ctx, text); stmt != nil { //nolint:sqlclosecheck // the cache has it
		res, err = stmt.ExecContext(x.ctx, args...)
	} else {
		res, err = x.conn.ExecContext(x.ctx, text, args...)
	}
	if err != nil {
		return 0, classify(x.engine, err)
	}
	return res.RowsAffected()
}

// list runs a query and scans every row. scan must not run statements.
func list[T any](x *executor, scan func(row) (T, error), text string, args ...any) ([]T, error) {
	return listUntil(x, scan, func(T) bool { return false }, text, args...)
}

// listUntil is list that ends with the first row that is the last one.
func listUntil[T any](x *executor, scan func(row) (T, error), isLast func(T) bool, text string, args ...any) ([]T, error) {
	rows, err := x.query(text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, classify(x.engine, err)
		}
		if all = append(all, v); isLast(v) {
			return all, nil
		}
	}
	return all, classify(x.engine, rows.Err())
}

// one runs a query and scans its first row; ErrNotFound without a row.
func one[T any](x *executor, scan func(row) (T, error), text string, args ...any) (T, error) {
	all, err := list(x, scan, text, args...)
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
func scanOne[T any](r row) (v T, err error) { return v, r.Scan(&v) }

// records passes each row of a query to visit, without the column row, whose values differ between databases.
func (x *executor) records(text string, visit func(Record) error, args ...any) error {
	rows, err := x.query(text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values, targets := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		record := make(Record, len(names))
		for i, name := range names {
			if name != "row" {
				record[name] = values[i]
			}
		}
		if err := visit(record); err != nil {
			return err
		}
	}
	return rows.Err()
}

// columns returns the columns of a table.
func (x *executor) columns(table string) ([]string, error) {
	rows, err := x.query("SELECT * FROM " + table + " WHERE 1 = 0") //nolint:gosec // the name of a table, never input
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	return names, rows.Err()
}

// stmtCache caches prepared statements by their text. A nil cache is empty.
type stmtCache struct {
	prepare func(ctx context.Context, text string) (*sql.Stmt, error)
	stmts   sync.Map
	size    atomic.Int64
}

const maxStmts = 400

// get returns the prepared statement of a text. It returns nil when the text must be run without one: the cache is full, or
// the text could not be prepared.
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
		return nil // the caller runs the text and returns the error
	}
	if first, raced := c.stmts.LoadOrStore(text, stmt); raced {
		_ = stmt.Close() //nolint:sqlclosecheck // the first one is cached
		return first.(*sql.Stmt)
	}
	c.size.Add(1)
	return stmt
}
