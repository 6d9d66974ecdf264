package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Refusals counts the refused calls of a key with one problem code.
type Refusals struct {
	KeyID, Code string
	Count       int64
	LastAt      api.Time
	LastCall    string // the method and the path pattern of the last one
}

// AddRefusals adds to the refused calls of a key in the hour that begins at a time.
func (tx *Tx) AddRefusals(hour api.Time, r Refusals) error {
	return tx.db.Exec(`INSERT INTO key_refusals (key_id, hour, code, refused, last_at, last_call) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (key_id, hour, code) DO UPDATE SET refused = key_refusals.refused + excluded.refused,
			last_call = CASE WHEN excluded.last_at < key_refusals.last_at THEN key_refusals.last_call ELSE excluded.last_call END,
			last_at = CASE WHEN excluded.last_at < key_refusals.last_at THEN key_refusals.last_at ELSE excluded.last_at END`,
		r.KeyID, hour.UnixMilli(), r.Code, r.Count, r.LastAt.UnixMilli(), r.LastCall)
}

// KeyRefusals returns the refused calls of a key in the hours that begin at since or later, by code, most frequent
// first.
func (q Queries) KeyRefusals(keyID string, since api.Time) ([]Refusals, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (Refusals, error) {
		var last int64
		v := Refusals{KeyID: keyID}
		err := r.Scan(&v.Code, &v.Count, &last, &v.LastCall)
		v.LastAt = api.FromMillis(last)
		return v, err
	}, `SELECT r.code, CAST(sum(r.refused) AS BIGINT) AS total, max(r.last_at), (SELECT l.last_call FROM key_refusals l
			WHERE l.key_id = $1 AND l.hour >= $2 AND l.code = r.code ORDER BY l.last_at DESC LIMIT 1)
		FROM key_refusals r WHERE r.key_id = $1 AND r.hour >= $2 GROUP BY r.code ORDER BY total DESC, r.code`,
		keyID, since.UnixMilli())
}

// DeleteExpiredRefusals deletes up to limit counts of the hours that begin before a time, and returns their number.
func (tx *Tx) DeleteExpiredRefusals(before api.Time, limit int) (int, error) {
	n, err := tx.db.ExecCount(`DELETE FROM key_refusals WHERE (key_id, hour, code) IN
		(SELECT key_id, hour, code FROM key_refusals WHERE hour < $1 LIMIT $2)`, before.UnixMilli(), limit)
	return int(n), err
}
