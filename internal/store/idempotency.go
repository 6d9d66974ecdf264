package store

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// IdempotencyKey is the Idempotency-Key of a principal's request for an operation.
type IdempotencyKey struct{ Principal, Operation, Key string }

// StoredResponse is the stored response of an Idempotency-Key.
type StoredResponse struct {
	Request string  // fingerprint of the request
	JSON    *string // nil for a response with a secret
}

// StoredResponse returns the stored response of a key that was inserted at oldest or later.
func (q Queries) StoredResponse(k IdempotencyKey, oldest api.Time) (*StoredResponse, error) {
	a, err := sqldb.One(q.db, func(r sqldb.Row) (a StoredResponse, err error) { return a, r.Scan(&a.Request, &a.JSON) },
		`SELECT request, answer FROM idempotency_keys
		WHERE principal = $1 AND operation = $2 AND key = $3 AND created_at >= $4`, k.Principal, k.Operation, k.Key, oldest.UnixMilli())
	return &a, err
}

// InsertIdempotencyKey inserts the key of a request with its fingerprint and returns nil, or returns the response
// that is stored for the key. It waits for the transaction of a concurrent duplicate request. A key from before
// oldest is replaced.
func (tx *Tx) InsertIdempotencyKey(k IdempotencyKey, fingerprint string, now, oldest api.Time) (
	*StoredResponse, error,
) {
	for {
		n, err := tx.db.ExecCount(`INSERT INTO idempotency_keys (principal, operation, key, request, created_at)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (principal, operation, key) DO NOTHING`,
			k.Principal, k.Operation, k.Key, fingerprint, now.UnixMilli())
		if err != nil || n == 1 {
			return nil, err
		}
		stored, err := tx.StoredResponse(k, oldest)
		if !errors.Is(err, ErrNotFound) {
			return stored, err
		}
		// the key is from before oldest
		if _, err := tx.deleteResponses(`DELETE FROM idempotency_keys
			WHERE principal = $1 AND operation = $2 AND key = $3 AND created_at < $4
			RETURNING workspace_id, octet_length(answer)`, k.Principal, k.Operation, k.Key, oldest.UnixMilli()); err != nil {
			return nil, err
		}
	}
}

// StoreResponse stores the response of a key that this transaction inserted. Its size is charged to the workspace that
// the transaction has changed, if any.
func (tx *Tx) StoreResponse(k IdempotencyKey, json string) error {
	var workspaceID *string
	if tx.workspace != "" {
		workspaceID = &tx.workspace
		tx.Charge(tx.workspace, bytesOf(json))
	}
	return tx.db.Exec("UPDATE idempotency_keys SET answer = $4, workspace_id = $5 WHERE principal = $1 AND operation = $2 AND key = $3",
		k.Principal, k.Operation, k.Key, json, workspaceID)
}

// DeleteExpiredResponses deletes up to limit keys from before a time, and returns their number.
func (tx *Tx) DeleteExpiredResponses(before api.Time, limit int) (int, error) {
	return tx.deleteResponses(`DELETE FROM idempotency_keys WHERE (principal, operation, key) IN
			(SELECT principal, operation, key FROM idempotency_keys WHERE created_at < $1 LIMIT $2)
		RETURNING workspace_id, octet_length(answer)`, before.UnixMilli(), limit)
}

// deleteResponses runs a statement that deletes keys and returns their workspaces and sizes, and frees the sizes.
func (tx *Tx) deleteResponses(text string, args ...any) (int, error) {
	type deleted struct {
		workspace *string
		bytes     *int64
	}
	all, err := sqldb.List(tx.db, func(r sqldb.Row) (d deleted, err error) { return d, r.Scan(&d.workspace, &d.bytes) },
		text, args...)
	for _, d := range all {
		if d.workspace != nil && d.bytes != nil {
			tx.Charge(*d.workspace, -rowBytes-*d.bytes)
		}
	}
	return len(all), err
}
