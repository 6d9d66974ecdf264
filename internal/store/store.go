package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	engine *engine
	db     *pool
	cached caches
	write  func(ctx context.Context, fn func(*Tx) error) error
	queued func() int // transactions that wait
	origin func(ctx context.Context) (string, error)
	close  func() error

	compact func(ctx context.Context, statements []string) error

	commits broadcast
}

// Options name the database to open.
type Options struct {
	Path string // SQLite file; used when URL is empty
	URL  string // postgres://…

	ReadOnly bool // every Write fails with ErrReadOnly

	TimeLimit time.Duration // that the database has for a list or a count; a second when 0

	BeforeMigration func() // is called by Migrate before it changes an older schema; nil for none
}

// Open opens the database without migrating it. It does not wait for an unreachable server.
func Open(o Options) (s *Store, err error) {
	if o.URL != "" {
		s, err = openPostgres(o.URL)
	} else {
		s, err = openSQLite(o.Path)
	}
	if err != nil {
		return nil, err
	}
	s.db.timeLimit = o.TimeLimit
	s.cached = caches{newRowCache[Slice](maxCacheBytes), newRowCache[*Compared](maxComparedBytes)}
	if o.ReadOnly {
		s.write = func(context.Context, func(*Tx) error) error { return ErrReadOnly }
	}
	return s, nil
}

// Close closes the store after the writes that have begun.
func (s *Store) Close() error { return s.close() }

// Engine is "sqlite" or "postgres".
func (s *Store) Engine() string { return s.engine.name }

// Origin identifies the database among its copies: a file among copies of the file, a database among those that
// were restored, cloned or promoted from it. It stays the same while the database is used where it is.
func (s *Store) Origin(ctx context.Context) (string, error) { return s.origin(ctx) }

// Ping returns an error unless the database answers.
func (s *Store) Ping(ctx context.Context) error {
	_, err := one(s.db.executor(ctx), scanOne[int], "SELECT 1")
	return err
}

// Clock returns the time of the database. External is false, and the time is zero, when the database has no
// clock other than this process's.
func (s *Store) Clock(ctx context.Context) (at time.Time, external bool, err error) {
	if s.engine.clock == "" {
		return time.Time{}, false, nil
	}
	ms, err := one(s.db.executor(ctx), scanOne[int64], s.engine.clock)
	return time.UnixMilli(ms), err == nil, err
}

// Commits returns a channel that is closed at this node's next commit of a transaction that called
// NotifyOnCommit. A reader asks for the channel before it reads, so that it misses nothing.
func (s *Store) Commits() <-chan struct{} { return s.commits.wait() }

// Read returns the queries outside of a transaction.
func (s *Store) Read(ctx context.Context) Queries {
	return Queries{s.db.executor(ctx), s.cached, func(read func(Queries) error) error { return s.snapshot(ctx, read) }}
}

// snapshot reads the database as of one instant. It locks no rows, and may wait for a slow client.
func (s *Store) snapshot(ctx context.Context, read func(Queries) error) error {
	return s.db.transaction(ctx, s.db.snapshot, func(x *executor) error {
		if text := s.engine.snapshot; text != "" {
			if _, err := x.conn.ExecContext(ctx, text); err != nil {
				return err
			}
		}
		return read(Queries{db: x})
	})
}

const (
	maxAttempts = 20
	maxPause    = 64 * time.Millisecond
)

// Write runs fn in a transaction and commits it durably, or changes nothing; after ErrUncertain either is possible. After an ErrConflict
// it runs fn again in a new transaction, with growing pauses; fn must change nothing but its result.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	var err error
	attempt := func(tx *Tx) error {
		tx.changes = changes{}
		if err := fn(tx); err != nil {
			return err
		}
		return tx.Apply()
	}
	for n := range maxAttempts {
		if err = s.write(ctx, attempt); !errors.Is(err, ErrConflict) {
			return classify(s.engine, err)
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
