package store

import (
	"database/sql"
	"errors"

	"bugslice/api"
)

// Answer is what an Idempotency-Key stands for.
type Answer struct {
	Request string  // fingerprint of the request it came with
	JSON    *string // nil when the answer held a secret
}

// ClaimKey takes an Idempotency-Key for this transaction. It waits for a concurrent twin
// and returns its answer when that one committed, nil when the key is free and now claimed.
// A key older than the limit is free.
func (tx *Tx) ClaimKey(principal, operation, key, request string, now, oldest api.Time) (*Answer, error) {
	for {
		n, err := tx.exec(`INSERT INTO idempotency_keys (principal, operation, key, request, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (principal, operation, key) DO NOTHING`, principal, operation, key, request, now.UnixMilli())
		if err != nil || n == 1 {
			return nil, err
		}
		a, err := tx.Answer(principal, operation, key, oldest)
		if !errors.Is(err, ErrNotFound) {
			return a, err
		}
		if _, err := tx.deleteAnswers("DELETE FROM idempotency_keys WHERE principal = $1 AND operation = $2 AND key = $3 AND created_at < $4"+
			" RETURNING workspace_id, octet_length(answer)", principal, operation, key, oldest.UnixMilli()); err != nil {
			return nil, err
		}
	}
}

// deleteAnswers gives back what the answers counted that a statement removes.
func (tx *Tx) deleteAnswers(text string, args ...any) (int, error) {
	type row struct {
		workspace *string
		bytes     *int64
	}
	gone, err := list(tx, func(rows *sql.Rows) (r row, err error) { return r, rows.Scan(&r.workspace, &r.bytes) }, text, args...)
	for _, r := range gone {
		if r.workspace != nil && r.bytes != nil {
			tx.Charge(*r.workspace, -rowBytes-*r.bytes)
		}
	}
	return len(gone), err
}

// Answer returns what a key that is no older than the limit stands for.
func (tx *Tx) Answer(principal, operation, key string, oldest api.Time) (*Answer, error) {
	a, err := one(tx, func(rows *sql.Rows) (a Answer, err error) { return a, rows.Scan(&a.Request, &a.JSON) },
		"SELECT request, answer FROM idempotency_keys WHERE principal = $1 AND operation = $2 AND key = $3 AND created_at >= $4", principal, operation, key, oldest.UnixMilli())
	return &a, err
}

// KeepAnswer stores the answer of a claimed key. It counts towards the workspace that the transaction
// has changed, if any.
func (tx *Tx) KeepAnswer(principal, operation, key, answer string) error {
	var workspaceID *string
	if tx.workspace != "" {
		workspaceID = &tx.workspace
		tx.Charge(tx.workspace, bytesOf(answer))
	}
	_, err := tx.exec("UPDATE idempotency_keys SET answer = $4, workspace_id = $5 WHERE principal = $1 AND operation = $2 AND key = $3",
		principal, operation, key, answer, workspaceID)
	return err
}

// ForgetAnswers removes up to limit keys older than the time and returns how many.
func (tx *Tx) ForgetAnswers(before api.Time, limit int) (int, error) {
	return tx.deleteAnswers(`DELETE FROM idempotency_keys WHERE (principal, operation, key) IN
		(SELECT principal, operation, key FROM idempotency_keys WHERE created_at < $1 LIMIT $2) RETURNING workspace_id, octet_length(answer)`,
		before.UnixMilli(), limit)
}
