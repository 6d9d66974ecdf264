package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// row is a row of a result.
type row interface{ Scan(dest ...any) error }

// executor runs statements under one context: in a transaction, or each on its own snapshot.
type executor struct {
	ctx    context.Context
	conn   conn
	cache  *stmtCache
	engine *engine
	wrote  bool // a statement that writes was run
}

// pool is the connections to a database, with the statements that are prepared on them.
type pool struct {
	db     *sql.DB
	cache  *stmtCache // nil where the driver keeps its own
	engine *engine

	snapshot *sql.TxOptions // of a transaction that reads as of one instant
}

// newPool returns the pool of db, whose statements are prepared unless the driver does so itself.
func newPool(db *sql.DB, e *engine, prepare bool) *pool {
	p := &pool{db: db, engine: e}
	if prepare {
		p.cache = &stmtCache{prepare: db.PrepareContext}
	}
	return p
}

// executor runs each statement on any connection of the pool.
func (p *pool) executor(ctx context.Context) *executor {
	return &executor{ctx: ctx, conn: p.db, cache: p.cache, engine: p.engine}
}

// transaction runs fn in a transaction, and commits it unless fn fails.
func (p *pool) transaction(ctx context.Context, options *sql.TxOptions, fn func(*executor) error) error {
	t, err := p.db.BeginTx(ctx, options)
	if err != nil {
		return classify(p.engine, err)
	}
	defer func() { _ = t.Rollback() }()
	if err := fn(&executor{ctx: ctx, conn: t, engine: p.engine}); err != nil {
		return classify(p.engine, err)
	}
	return classify(p.engine, t.Commit())
}

func (p *pool) close() error { return p.db.Close() }

// conn is what *sql.DB and *sql.Tx have in common.
type conn interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// query runs a statement that returns rows.
func (x *executor) query(text string, args ...any) (*sql.Rows, error) {
	x.wrote = x.wrote || !strings.HasPrefix(text, "SELECT")
	var rows *sql.Rows
	var err error
	if stmt := x.cache.get(x.ctx, text); stmt != nil { //nolint:sqlclosecheck // it stays in the cache
		rows, err = stmt.QueryContext(x.ctx, args...)
	} else {
		rows, err = x.conn.QueryContext(x.ctx, text, args...)
	}
	return rows, classify(x.engine, err)
}

// exec runs a statement and returns how many rows it touched.
func (x *executor) exec(text string, args ...any) (int64, error) {
	var res sql.Result
	var err error
	x.wrote = true
	if stmt := x.cache.get(x.ctx, text); stmt != nil { //nolint:sqlclosecheck // it stays in the cache
		res, err = stmt.ExecContext(x.ctx, args...)
	} else {
		res, err = x.conn.ExecContext(x.ctx, text, args...)
	}
	if err != nil {
		return 0, classify(x.engine, err)
	}
	return res.RowsAffected()
}

// list runs a query and scans every row. No query runs while rows are open: scan reads columns only.
func list[T any](x *executor, scan func(row) (T, error), text string, args ...any) ([]T, error) {
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
		all = append(all, v)
	}
	return all, classify(x.engine, rows.Err())
}

// one runs a query of one row; none is ErrNotFound.
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

// records shows the rows of a query by their columns, but row, which is the database's own.
func (x *executor) records(text string, show func(Record) error, args ...any) error {
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
		if err := show(record); err != nil {
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
