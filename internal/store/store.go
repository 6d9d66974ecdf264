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
	"errors"
	"fmt"
	"math/rand/v2"
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
	engine *engine
	db     *pool
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
	_, err := one(s.db.executor(ctx), scanOne[int], "SELECT 1")
	return err
}

// Clock returns the time of the database, and whether it has a clock other than this process's.
func (s *Store) Clock(ctx context.Context) (at time.Time, own bool, err error) {
	if s.engine.clock == "" {
		return time.Time{}, false, nil
	}
	ms, err := one(s.db.executor(ctx), scanOne[int64], s.engine.clock)
	return time.UnixMilli(ms), err == nil, err
}

// Queries reads records. From Store.Read, each statement sees its own snapshot; in a transaction, what the
// transaction sees.
type Queries struct {
	db     *executor
	slices *sliceCache // of what is committed; nil in a transaction
}

// Tx reads and writes in the transaction of a Write. Its context is the writer's on SQLite, where others'
// writes share the transaction, and the request's on PostgreSQL.
//
// A method Lock… reads a record that is changed next, with a row lock: until the commit nobody else changes
// it. A slice, its parts, and a webhook are locked before their workspace. On SQLite, where writes are serial,
// no lock is needed.
type Tx struct {
	Queries

	published bool // somebody waits for what was written

	charged   map[string]int64 // bytes of workspaces that are to be counted; see Charge
	workspace string           // whose counters were advanced last
}

// Read returns what reads outside of a transaction.
func (s *Store) Read(ctx context.Context) Queries {
	return Queries{db: s.db.executor(ctx), slices: s.slices}
}

// snapshot reads the database as of one instant.
func (s *Store) snapshot(ctx context.Context, read func(Queries) error) error {
	return s.db.transaction(ctx, s.db.snapshot, func(x *executor) error { return read(Queries{db: x}) })
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

func (s *Store) classify(err error) error { return classify(s.engine, err) }

// classify gives a driver's error the name this package has for it. Errors that have one
// already, and errors of closures, pass unchanged.
func classify(e *engine, err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrConflict) {
		return err
	}
	if known := e.classify(err); known != nil {
		return known
	}
	return err
}
