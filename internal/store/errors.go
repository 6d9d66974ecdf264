package store

import (
	"errors"
	"fmt"

	"bugslice/internal/store/sqldb"
)

// Errors that callers branch on. Those of package sqldb are described there.
var (
	ErrNotFound    = sqldb.ErrNotFound
	ErrUnavailable = sqldb.ErrUnavailable
	ErrUncertain   = sqldb.ErrUncertain
	ErrReadOnly    = sqldb.ErrReadOnly
	ErrConflict    = sqldb.ErrConflict

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

// UniqueViolationError: a unique index refused a value that another record has.
type UniqueViolationError = sqldb.UniqueViolationError

// Indexes of UniqueViolationError that callers branch on.
const (
	IndexExternalID  = "slices_external_id"      // another live slice of the workspace has the externalId
	IndexFingerprint = "slices_open_fingerprint" // another open slice of the workspace has the fingerprint
	IndexEmail       = "users_email_key"
)

// uniqueIndexes are these indexes by their columns.
var uniqueIndexes = map[string]string{
	"slices.workspace_id, slices.external_id": IndexExternalID,
	"slices.workspace_id, slices.fingerprint": IndexFingerprint,
	"users.email": IndexEmail,
}

// IsDenied reports whether PostgreSQL refused a statement because the role lacks a right.
func IsDenied(err error) bool { return sqldb.IsDenied(err) }
