package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// ResetLink is a link with which a user sets another password.
type ResetLink struct {
	UserID    string
	CreatedBy *string // nil for the operator
	ExpiresAt api.Time
}

// PutResetLink stores the hash of the token of a link to reset the password of a user, in place of the former one.
func (tx *Tx) PutResetLink(l ResetLink, hash string) error {
	return tx.db.Exec(`INSERT INTO reset_links (user_id, hash, created_by, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, created_by = excluded.created_by, expires_at = excluded.expires_at`,
		l.UserID, hash, l.CreatedBy, l.ExpiresAt.UnixMilli())
}

// ResetLink returns the link of the token with a hash that has not expired.
func (q Queries) ResetLink(hash string, now api.Time) (ResetLink, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (l ResetLink, err error) {
		var expires int64
		err = r.Scan(&l.UserID, &l.CreatedBy, &expires)
		l.ExpiresAt = api.FromMillis(expires)
		return l, err
	}, "SELECT user_id, created_by, expires_at FROM reset_links WHERE hash = $1 AND expires_at > $2", hash,
		now.UnixMilli())
}

// UseResetLink deletes the link of the token with a hash; ErrNotFound when there is none. Of several transactions
// that use a link, one finds it.
func (tx *Tx) UseResetLink(hash string) error {
	return tx.db.ExecOne(ErrNotFound, "DELETE FROM reset_links WHERE hash = $1", hash)
}
