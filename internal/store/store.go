package store

import (
	"context"
	"time"

	"bugslice/internal/store/sqldb"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	db        *sqldb.DB[pending]
	cached    caches
	timeLimit time.Duration // see Options
}

// Options name the database to open.
type Options struct {
	Path string // SQLite file; used when URL is empty
	URL  string // postgres://…

	ReadOnly bool // every Write fails with ErrReadOnly

	TimeLimit time.Duration // that the database has for a list or a count; a second when 0

	BeforeMigration func() // is called by Migrate before it changes an older schema; nil for none
}

func (o Options) database() sqldb.Options {
	return sqldb.Options{Path: o.Path, URL: o.URL, ReadOnly: o.ReadOnly, Indexes: uniqueIndexes}
}

// Open opens the database without migrating it. It does not wait for an unreachable server.
func Open(o Options) (*Store, error) {
	db, err := sqldb.Open(o.database(), flush)
	if err != nil {
		return nil, err
	}
	return &Store{db, caches{newRowCache[Slice](maxCacheBytes), newRowCache[*Compared](maxComparedBytes)}, o.TimeLimit},
		nil
}

// Close closes the store after the writes that have begun.
func (s *Store) Close() error { return s.db.Close() }

// Engine is "sqlite" or "postgres".
func (s *Store) Engine() string { return s.db.Engine().Name }

// Origin identifies the database among its copies: a file among copies of the file, a database among those that
// were restored, cloned or promoted from it. It stays the same while the database is used where it is.
func (s *Store) Origin(ctx context.Context) (string, error) { return s.db.Origin(ctx) }

// Ping returns an error unless the database answers.
func (s *Store) Ping(ctx context.Context) error {
	_, err := sqldb.One(s.db.Read(ctx), sqldb.ScanOne[int], "SELECT 1")
	return err
}

// Clock returns the time of the database. External is false, and the time is zero, when the database has no
// clock other than this process's.
func (s *Store) Clock(ctx context.Context) (at time.Time, external bool, err error) {
	return s.db.Clock(ctx)
}

// Commits returns a channel that is closed at this node's next commit of a transaction that called
// NotifyOnCommit. A reader asks for the channel before it reads, so that it misses nothing.
func (s *Store) Commits() <-chan struct{} { return s.db.Commits() }

// Read returns the queries outside of a transaction.
func (s *Store) Read(ctx context.Context) Queries {
	return Queries{s.db.Read(ctx), s.cached, s.timeLimit,
		func(read func(Queries) error) error { return s.snapshot(ctx, read) }}
}

// snapshot reads the database as of one instant. It locks no rows, and may wait for a slow client.
func (s *Store) snapshot(ctx context.Context, read func(Queries) error) error {
	return s.db.Snapshot(ctx, func(x *sqldb.Executor) error { return read(Queries{db: x}) })
}

// Write runs fn in a transaction and commits it durably, or changes nothing; after ErrUncertain either is possible.
// After an ErrConflict it runs fn again in a new transaction, with growing pauses; fn must change nothing but its
// result.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.db.Write(ctx, func(shared *transaction) error {
		tx := &Tx{Queries: Queries{db: shared.Executor}, shared: shared}
		if err := fn(tx); err != nil {
			return err
		}
		return tx.Apply()
	})
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
