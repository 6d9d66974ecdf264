package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"
)

// Row is a row of a result.
type Row interface{ Scan(dest ...any) error }

// Executor runs statements under one context: in a transaction, or each on its own snapshot. A statement has $1 … $N
// for its arguments.
type Executor struct {
	Engine *Engine

	ctx   context.Context
	conn  conn
	cache *stmtCache
	wrote bool // since it was reset, a statement wrote
}

// conn is a *sql.DB or *sql.Tx.
type conn interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// query runs a statement that returns rows.
func (x *Executor) query(text string, args ...any) (*sql.Rows, error) {
	x.wrote = x.wrote || !strings.HasPrefix(text, "SELECT")
	var rows *sql.Rows
	var err error
	if stmt := x.cache.get(x.ctx, text); stmt != nil { //nolint:sqlclosecheck // the cache has it
		rows, err = stmt.QueryContext(x.ctx, args...)
	} else {
		rows, err = x.conn.QueryContext(x.ctx, text, args...)
	}
	return rows, classify(x.Engine, err)
}

// Exec runs a statement without a result.
func (x *Executor) Exec(text string, args ...any) error {
	_, err := x.ExecCount(text, args...)
	return err
}

// ExecOne runs a statement that must change a row. It returns missing if the statement changed none.
func (x *Executor) ExecOne(missing error, text string, args ...any) error {
	n, err := x.ExecCount(text, args...)
	if err == nil && n == 0 {
		err = missing
	}
	return err
}

// ExecCount runs a statement and returns the number of rows that it changed.
func (x *Executor) ExecCount(text string, args ...any) (int64, error) {
	var res sql.Result
	var err error
	x.wrote = true
	if stmt := x.cache.get(x.ctx, text); stmt != nil { //nolint:sqlclosecheck // the cache has it
		res, err = stmt.ExecContext(x.ctx, args...)
	} else {
		res, err = x.conn.ExecContext(x.ctx, text, args...)
	}
	if err != nil {
		return 0, classify(x.Engine, err)
	}
	return res.RowsAffected()
}

// Each runs a query and passes every row to visit, which must not run statements.
func (x *Executor) Each(visit func(Row) error, text string, args ...any) error {
	_, err := List(x, func(r Row) (struct{}, error) { return struct{}{}, visit(r) }, text, args...)
	return err
}

// List runs a query and scans every row. scan must not run statements.
func List[T any](x *Executor, scan func(Row) (T, error), text string, args ...any) ([]T, error) {
	var all []T
	for v, err := range Rows(x, scan, text, args...) {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// Rows runs a query and scans its rows one by one. An error is the last element. Neither scan nor the body of the loop
// must run statements.
func Rows[T any](x *Executor, scan func(Row) (T, error), text string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := x.query(text, args...)
		if err != nil {
			yield(none, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			v, err := scan(rows)
			if err != nil {
				yield(none, classify(x.Engine, err))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(none, classify(x.Engine, err))
		}
	}
}

// One runs a query and scans its first row; ErrNotFound without a row.
func One[T any](x *Executor, scan func(Row) (T, error), text string, args ...any) (T, error) {
	all, err := List(x, scan, text, args...)
	if err == nil && len(all) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return all[0], nil
}

// ScanOne scans a row of one column.
func ScanOne[T any](r Row) (v T, err error) { return v, r.Scan(&v) }

// Records runs a query and passes each row to visit, as a map from column to value. visit must not run statements.
func (x *Executor) Records(visit func(record map[string]any) error, text string, args ...any) error {
	rows, err := x.query(text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return classify(x.Engine, err)
	}
	values, targets := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return classify(x.Engine, err)
		}
		record := make(map[string]any, len(names))
		for i, name := range names {
			record[name] = values[i]
		}
		if err := visit(record); err != nil {
			return err
		}
	}
	return classify(x.Engine, rows.Err())
}

// Columns returns the columns of a table.
func (x *Executor) Columns(table string) ([]string, error) {
	rows, err := x.query("SELECT * FROM " + table + " WHERE 1 = 0") //nolint:gosec // the name of a table, never input
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	return names, classify(x.Engine, errors.Join(err, rows.Err()))
}

// Brief returns an executor for statements that an embedded database answers within microseconds: their context does
// not end them, which would cost a goroutine for each. On others it returns x.
func (x *Executor) Brief() *Executor {
	if !x.Engine.IsEmbedded || x.ctx.Done() == nil || x.ctx.Err() != nil {
		return x
	}
	brief := *x
	brief.ctx = context.WithoutCancel(x.ctx)
	return &brief
}

// Within runs fn with statements that end after a limit. isOver says that fn has failed because of it.
func (x *Executor) Within(limit time.Duration, fn func(*Executor) error) (isOver bool, err error) {
	ctx, cancel := context.WithTimeout(x.ctx, limit)
	defer cancel()
	limited := *x
	limited.ctx = ctx
	err = fn(&limited)
	return err != nil && ctx.Err() != nil && x.ctx.Err() == nil, err
}

// LockKeys takes locks by their keys, in one order, until the transaction ends. It does nothing where writes are
// serial.
func (x *Executor) LockKeys(keys []int64) error {
	if x.Engine.lockKeys == "" || len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	sorted, err := json.Marshal(slices.Compact(keys))
	if err != nil {
		return err
	}
	_, err = List(x, ScanOne[int], x.Engine.lockKeys, string(sorted))
	return err
}
