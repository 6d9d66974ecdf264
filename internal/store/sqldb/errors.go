package sqldb

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Errors that callers branch on.
var (
	ErrNotFound    = errors.New("sqldb: not found")
	ErrUnavailable = errors.New("sqldb: the database cannot be reached or written")

	// ErrUncertain: the connection to PostgreSQL was lost during a commit, so that the changes of a transaction are
	// stored or not. It is an ErrUnavailable.
	ErrUncertain = fmt.Errorf("%w: the connection was lost during a commit", ErrUnavailable)

	// ErrReadOnly: the database was opened with Options.ReadOnly.
	ErrReadOnly = errors.New("sqldb: opened read-only")

	// ErrConflict: a record changed between its reading and its writing. Write runs a closure that returns it
	// again, in a new transaction.
	ErrConflict = errors.New("sqldb: changed meanwhile")
)

// IsDenied reports whether PostgreSQL refused a statement because the role lacks a right.
func IsDenied(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "42501" // insufficient_privilege
}

// UniqueViolationError: a unique index refused a value that another record has. On SQLite, Index has the columns of
// an index that is not in Options.Indexes.
type UniqueViolationError struct{ Index string }

func (e *UniqueViolationError) Error() string { return "sqldb: unique violation: " + e.Index }

// classify converts a driver's error to this package's. It returns this package's errors and those of closures
// unchanged.
func classify(e *Engine, err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrConflict) {
		return err
	}
	if known := e.classify(err); known != nil {
		return known
	}
	return err
}
