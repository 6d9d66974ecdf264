package sqldb

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// stmtCache caches prepared statements by their text. A nil cache is empty.
type stmtCache struct {
	prepare func(ctx context.Context, text string) (*sql.Stmt, error)
	stmts   sync.Map
	size    atomic.Int64
}

const maxStmts = 400

// get returns the prepared statement of a text. It returns nil when the text must be run without one: the cache is
// full, or the text could not be prepared.
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
