package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// DB is an open database. It is safe for concurrent use. P is the type of Tx.Pending.
type DB[P any] struct {
	engine *Engine
	db     *pool
	write  func(ctx context.Context, fn func(*Tx[P]) error) error
	queued func() int // transactions that wait
	origin func(ctx context.Context) (string, error)
	close  func() error

	compact func(ctx context.Context, tables []string) error

	commits broadcast
}

// Options name the database to open.
type Options struct {
	Path string // SQLite file; used when URL is empty
	URL  string // postgres://…

	ReadOnly bool // every Write fails with ErrReadOnly

	// Indexes are the names that a UniqueViolationError has on SQLite, which reports the columns of an index, such as
	// "users.email" or "users.org_id, users.email".
	Indexes map[string]string
}

// Open opens a database without migrating it. It does not wait for an unreachable server. In each transaction that
// writes, last runs once, after all else and before the COMMIT; it may be nil.
func Open[P any](o Options, last func(*Tx[P]) error) (d *DB[P], err error) {
	if last == nil {
		last = func(*Tx[P]) error { return nil }
	}
	if o.URL != "" {
		d, err = openPostgres(o.URL, last)
	} else {
		d, err = openSQLite(o, last)
	}
	if err == nil && o.ReadOnly {
		d.write = func(context.Context, func(*Tx[P]) error) error { return ErrReadOnly }
	}
	return d, err
}

// Close closes the database after the writes that have begun.
func (d *DB[P]) Close() error { return d.close() }

// Engine returns the differences of the database.
func (d *DB[P]) Engine() *Engine { return d.engine }

// Origin identifies the database among its copies: a file among copies of the file, a database among those that
// were restored, cloned or promoted from it. It stays the same while the database is used where it is.
func (d *DB[P]) Origin(ctx context.Context) (string, error) { return d.origin(ctx) }

// Clock returns the time of the database. External is false, and the time is zero, when the database has no
// clock other than this process's.
func (d *DB[P]) Clock(ctx context.Context) (at time.Time, external bool, err error) {
	if d.engine.clock == "" {
		return time.Time{}, false, nil
	}
	ms, err := One(d.Read(ctx), ScanOne[int64], d.engine.clock)
	return time.UnixMilli(ms), err == nil, err
}

// Commits returns a channel that is closed at this process's next commit of a transaction that called
// NotifyOnCommit. A reader asks for the channel before it reads, so that it misses nothing.
func (d *DB[P]) Commits() <-chan struct{} { return d.commits.wait() }

// Read returns an executor outside of a transaction, each of whose statements sees its own snapshot.
func (d *DB[P]) Read(ctx context.Context) *Executor { return d.db.executor(ctx) }

// Snapshot runs read with statements that all see the database as of one instant. It locks no rows, and may wait for
// a slow client.
func (d *DB[P]) Snapshot(ctx context.Context, read func(*Executor) error) error {
	return d.db.transaction(ctx, d.db.snapshot, func(x *Executor) error {
		if text := d.engine.snapshot; text != "" {
			if _, err := x.conn.ExecContext(ctx, text); err != nil {
				return err
			}
		}
		return read(x)
	})
}

const (
	maxAttempts = 20
	maxPause    = 64 * time.Millisecond
)

// Write runs fn in a transaction and commits it durably, or changes nothing; after ErrUncertain either is possible.
// After an ErrConflict it runs fn again in a new transaction, with growing pauses; fn must change nothing but its
// result.
func (d *DB[P]) Write(ctx context.Context, fn func(*Tx[P]) error) error {
	var err error
	for n := range maxAttempts {
		if err = d.write(ctx, fn); !errors.Is(err, ErrConflict) {
			return classify(d.engine, err)
		}
		select {
		case <-time.After(rand.N(min(time.Millisecond<<n, maxPause))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Analyze updates the statistics of the planner, where it has some. The database does so by itself later.
func (d *DB[P]) Analyze(ctx context.Context) error {
	if d.engine.analyze == "" {
		return nil
	}
	return d.Read(ctx).Exec(d.engine.analyze)
}

// Compact overwrites the content of deleted rows. On SQLite the whole file is written again, while other writes wait,
// and the log is emptied, which waits a minute for its readers, else the error is an ErrUnavailable. On PostgreSQL
// the space of deleted rows of some tables is released for others.
func (d *DB[P]) Compact(ctx context.Context, tables []string) error { return d.compact(ctx, tables) }

// Stats are the connections and the queue of a database at this moment, and since it was opened.
type Stats struct {
	Pool       sql.DBStats // of the connections that read and, on PostgreSQL, write
	WriteQueue int         // transactions that wait for the writer; 0 on PostgreSQL, where none is queued
}

// Stats returns the statistics of the database.
func (d *DB[P]) Stats() Stats { return Stats{Pool: d.db.db.Stats(), WriteQueue: d.queued()} }
