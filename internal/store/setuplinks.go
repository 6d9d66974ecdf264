package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// PutSetupLink stores the hash of the token of the setup link, in place of the former one.
func (tx *Tx) PutSetupLink(hash string, expiresAt api.Time) error {
	return tx.db.Exec(`INSERT INTO setup_links (row_number, hash, expires_at) VALUES (1, $1, $2)
		ON CONFLICT (row_number) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`, hash, expiresAt.UnixMilli())
}

// SetupLinkValid reports whether there is a setup link of this hash that has not expired.
func (q Queries) SetupLinkValid(hash string, now api.Time) (bool, error) {
	n, err := sqldb.One(q.db, sqldb.ScanOne[int],
		"SELECT count(*) FROM setup_links WHERE hash = $1 AND expires_at > $2", hash, now.UnixMilli())
	return n == 1, err
}

// UseSetupLink deletes the setup link of this hash; ErrNotFound when there is none that has not expired. Of several
// transactions that use a link, one finds it.
func (tx *Tx) UseSetupLink(hash string, now api.Time) error {
	return tx.db.ExecOne(ErrNotFound, "DELETE FROM setup_links WHERE hash = $1 AND expires_at > $2", hash,
		now.UnixMilli())
}

// DeleteSetupLink deletes the setup link, if there is one.
func (tx *Tx) DeleteSetupLink() error { return tx.db.Exec("DELETE FROM setup_links") }
