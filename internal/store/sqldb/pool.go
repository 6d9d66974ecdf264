package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// pool is the connections to a database with their prepared statements.
type pool struct {
	db     *sql.DB
	cache  *stmtCache // nil if the driver has a cache
	engine *Engine

	snapshot *sql.TxOptions // of a transaction that reads as of one instant
}

// newCachingPool returns the pool of db with a cache of prepared statements, for a driver that has none.
func newCachingPool(db *sql.DB, e *Engine) *pool {
	return &pool{db: db, engine: e, cache: &stmtCache{prepare: db.PrepareContext}}
}

// executor returns an executor outside of a transaction.
func (p *pool) executor(ctx context.Context) *Executor {
	return &Executor{ctx: ctx, conn: p.db, cache: p.cache, Engine: p.engine}
}

// transaction runs fn in a transaction and commits it, or rolls it back if fn fails. When the connection is lost
// during the commit of changes, the error is an ErrUncertain.
func (p *pool) transaction(ctx context.Context, options *sql.TxOptions, fn func(*Executor) error) error {
	t, err := p.db.BeginTx(ctx, options)
	if err != nil {
		return classify(p.engine, err)
	}
	defer func() { _ = t.Rollback() }()
	x := &Executor{ctx: ctx, conn: t, Engine: p.engine}
	if err := fn(x); err != nil {
		return classify(p.engine, err)
	}
	err = classify(p.engine, t.Commit())
	if x.wrote && errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return err
}

// run runs a statement outside of a transaction, on a connection that writes.
func (p *pool) run(ctx context.Context, text string) error {
	_, err := p.db.ExecContext(ctx, text)
	return classify(p.engine, err)
}

func (p *pool) close() error { return p.db.Close() }
