package store

import (
	"database/sql"

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
	n, err := tx.exec(`INSERT INTO idempotency_keys (principal, operation, key, request, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (principal, operation, key) DO UPDATE SET request = excluded.request, answer = NULL, created_at = excluded.created_at
		WHERE idempotency_keys.created_at < $6`, principal, operation, key, request, now.UnixMilli(), oldest.UnixMilli())
	if err != nil || n == 1 {
		return nil, err
	}
	return tx.Answer(principal, operation, key, oldest)
}

// Answer returns what a key that is no older than the limit stands for.
func (tx *Tx) Answer(principal, operation, key string, oldest api.Time) (*Answer, error) {
	a, err := one(tx, func(rows *sql.Rows) (a Answer, err error) { return a, rows.Scan(&a.Request, &a.JSON) },
		"SELECT request, answer FROM idempotency_keys WHERE principal = $1 AND operation = $2 AND key = $3 AND created_at >= $4", principal, operation, key, oldest.UnixMilli())
	return &a, err
}

// KeepAnswer stores the answer of a claimed key.
func (tx *Tx) KeepAnswer(principal, operation, key, answer string) error {
	_, err := tx.exec("UPDATE idempotency_keys SET answer = $4 WHERE principal = $1 AND operation = $2 AND key = $3", principal, operation, key, answer)
	return err
}

// ForgetAnswers removes up to limit keys older than the time and returns how many.
func (tx *Tx) ForgetAnswers(before api.Time, limit int) (int, error) {
	n, err := tx.exec(`DELETE FROM idempotency_keys WHERE (principal, operation, key) IN
		(SELECT principal, operation, key FROM idempotency_keys WHERE created_at < $1 LIMIT $2)`, before.UnixMilli(), limit)
	return int(n), err
}
