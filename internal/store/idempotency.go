package store

import (
	"errors"

	"bugslice/api"
)

// Answer is what an Idempotency-Key stands for.
type Answer struct {
	Request string  // fingerprint of the request it came with
	JSON    *string // nil when the answer held a secret
}

// IdempotencyKey is an Idempotency-Key that a principal sent with a request of an operation.
type IdempotencyKey struct{ Principal, Operation, Key string }

// InsertIdempotencyKey takes an Idempotency-Key for this transaction and a request. It waits for a concurrent
// duplicate and returns its answer when that one committed, nil when the key is free and now taken.
// A key older than the limit is free.
func (tx *Tx) InsertIdempotencyKey(k IdempotencyKey, request string, now, oldest api.Time) (*Answer, error) {
	for {
		n, err := tx.db.exec(`INSERT INTO idempotency_keys (principal, operation, key, request, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (principal, operation, key) DO NOTHING`, k.Principal, k.Operation, k.Key, request, now.UnixMilli())
		if err != nil || n == 1 {
			return nil, err
		}
		a, err := tx.Answer(k, oldest)
		if !errors.Is(err, ErrNotFound) {
			return a, err
		}
		if _, err := tx.deleteAnswers("DELETE FROM idempotency_keys WHERE principal = $1 AND operation = $2 AND key = $3 AND created_at < $4"+
			" RETURNING workspace_id, octet_length(answer)", k.Principal, k.Operation, k.Key, oldest.UnixMilli()); err != nil {
			return nil, err
		}
	}
}

// deleteAnswers gives back what the answers counted that a statement removes.
func (tx *Tx) deleteAnswers(text string, args ...any) (int, error) {
	type deleted struct {
		workspace *string
		bytes     *int64
	}
	all, err := list(tx.db, func(r row) (d deleted, err error) { return d, r.Scan(&d.workspace, &d.bytes) }, text, args...)
	for _, d := range all {
		if d.workspace != nil && d.bytes != nil {
			tx.Charge(*d.workspace, -rowBytes-*d.bytes)
		}
	}
	return len(all), err
}

// Answer returns what a key that is no older than the limit stands for.
func (q Queries) Answer(k IdempotencyKey, oldest api.Time) (*Answer, error) {
	a, err := one(q.db, func(r row) (a Answer, err error) { return a, r.Scan(&a.Request, &a.JSON) },
		"SELECT request, answer FROM idempotency_keys WHERE principal = $1 AND operation = $2 AND key = $3 AND created_at >= $4", k.Principal, k.Operation, k.Key, oldest.UnixMilli())
	return &a, err
}

// KeepAnswer stores the answer of a claimed key. It counts towards the workspace that the transaction
// has changed, if any.
func (tx *Tx) KeepAnswer(k IdempotencyKey, answer string) error {
	var workspaceID *string
	if tx.workspace != "" {
		workspaceID = &tx.workspace
		tx.Charge(tx.workspace, bytesOf(answer))
	}
	_, err := tx.db.exec("UPDATE idempotency_keys SET answer = $4, workspace_id = $5 WHERE principal = $1 AND operation = $2 AND key = $3",
		k.Principal, k.Operation, k.Key, answer, workspaceID)
	return err
}

// ForgetAnswers removes up to limit keys older than the time and returns how many.
func (tx *Tx) ForgetAnswers(before api.Time, limit int) (int, error) {
	return tx.deleteAnswers(`DELETE FROM idempotency_keys WHERE (principal, operation, key) IN
		(SELECT principal, operation, key FROM idempotency_keys WHERE created_at < $1 LIMIT $2) RETURNING workspace_id, octet_length(answer)`,
		before.UnixMilli(), limit)
}
