package store

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Errors that callers branch on.
var (
	ErrNotFound    = errors.New("store: not found")
	ErrUnavailable = errors.New("store: the database cannot be reached or written")

	// ErrUncertain: the connection to PostgreSQL was lost during a commit, so that the changes of a transaction are stored or not. It is
	// an ErrUnavailable.
	ErrUncertain = fmt.Errorf("%w: the connection was lost during a commit", ErrUnavailable)

	// ErrReadOnly: the store was opened with Options.ReadOnly.
	ErrReadOnly = errors.New("store: opened read-only")

	// ErrConflict: a record changed between its reading and its writing. Write runs a closure that returns it
	// again, in a new transaction.
	ErrConflict = errors.New("store: changed meanwhile")

	// ErrBlobDeleted: the bytes of a file were removed before a record referred to them. It is an
	// ErrUnavailable, since the file can be sent again.
	ErrBlobDeleted = fmt.Errorf("%w: the bytes of the file were removed before its record was written", ErrUnavailable)

	// ErrTooBroad: a list or a count took longer than timeLimit.
	ErrTooBroad = errors.New("store: the filters of a list are too broad")

	// ErrIndexing: lists with filters wait until the index of terms is built. It is that of an IndexingError.
	ErrIndexing = fmt.Errorf("%w: the index of reports is being built", ErrUnavailable)

	// ErrNotEmpty: a database that is to be restored has an organisation already.
	ErrNotEmpty = errors.New("the database is not empty")
)

// IsDenied reports whether PostgreSQL refused a statement because the role lacks a right.
func IsDenied(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "42501" // insufficient_privilege
}

// UniqueViolationError: a unique index refused a value that another record has.
type UniqueViolationError struct{ Index string }

func (e *UniqueViolationError) Error() string { return "store: unique violation: " + e.Index }

// Indexes of UniqueViolationError that callers branch on.
const (
	IndexExternalID  = "slices_external_id"      // another live slice of the workspace has the externalId
	IndexFingerprint = "slices_open_fingerprint" // another open slice of the workspace has the fingerprint
	IndexEmail       = "users_email_key"
)

// classify converts a driver's error to this package's. It returns this package's errors and those of closures
// unchanged.
func classify(e *engine, err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrConflict) {
		return err
	}
	if known := e.classify(err); known != nil {
		return known
	}
	return err
}
