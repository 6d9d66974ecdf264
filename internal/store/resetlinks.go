package store

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// ResetLink is a link with which a user sets another password.
type ResetLink struct {
	UserID    string
	Asked     bool    // whether somebody has asked for it who may be anybody, so that it does not end a link that was created
	CreatedBy *string // nil for the operator
	ExpiresAt api.Time
}

// PutResetLink stores the hash of the token of a link to reset the password of a user, in place of the former one of its kind:
// created, or asked for.
func (tx *Tx) PutResetLink(l ResetLink, hash string) error {
	if l.Asked {
		return tx.db.Exec(`INSERT INTO asked_reset_links (user_id, hash, expires_at) VALUES ($1, $2, $3)
			ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`,
			l.UserID, hash, l.ExpiresAt.UnixMilli())
	}
	return tx.db.Exec(`INSERT INTO reset_links (user_id, hash, created_by, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, created_by = excluded.created_by, expires_at = excluded.expires_at`,
		l.UserID, hash, l.CreatedBy, l.ExpiresAt.UnixMilli())
}

// ResetLink returns the link of the token with a hash that has not expired.
func (q Queries) ResetLink(hash string, now api.Time) (ResetLink, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (l ResetLink, err error) {
		var expires, asked int64
		err = r.Scan(&l.UserID, &l.CreatedBy, &expires, &asked)
		l.ExpiresAt, l.Asked = api.FromMillis(expires), asked != 0
		return l, err
	}, `SELECT user_id, created_by, expires_at, 0 FROM reset_links WHERE hash = $1 AND expires_at > $2
		UNION ALL SELECT user_id, NULL, expires_at, 1 FROM asked_reset_links WHERE hash = $1 AND expires_at > $2`, hash,
		now.UnixMilli())
}

// UseResetLink deletes the link of the token with a hash; ErrNotFound when there is none. Of several transactions
// that use a link, one finds it.
func (tx *Tx) UseResetLink(hash string) error {
	err := tx.db.ExecOne(ErrNotFound, "DELETE FROM reset_links WHERE hash = $1", hash)
	if errors.Is(err, ErrNotFound) {
		err = tx.db.ExecOne(ErrNotFound, "DELETE FROM asked_reset_links WHERE hash = $1", hash)
	}
	return err
}
