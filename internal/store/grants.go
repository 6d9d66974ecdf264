package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// KeyGrant is a key that was made for a program, with what the program needs to fetch its token. Its codes and
// refresh tokens are hashes.
type KeyGrant struct {
	KeyID, UserID        string // of the user who has allowed it
	ClientID, ClientName string
	Code                 string
	CodeExpiresAt        api.Time
	RedeemedAt           *api.Time // nil while the token was not fetched
	Redirect, Challenge  string    // of an authorization request; empty for a device
	Resource             string
	Refresh              string // empty for a token that is not renewed
}

const grantColumns = `g.key_id, g.user_id, g.client_id, g.client_name, g.code, g.code_expires_at, g.redeemed_at, g.redirect, g.challenge,
	g.resource, COALESCE(g.refresh, '')`

func scanGrant(r sqldb.Row) (g KeyGrant, err error) {
	var expires int64
	var redeemed *int64
	err = r.Scan(&g.KeyID, &g.UserID, &g.ClientID, &g.ClientName, &g.Code, &expires, &redeemed, &g.Redirect,
		&g.Challenge, &g.Resource,
		&g.Refresh)
	g.CodeExpiresAt, g.RedeemedAt = api.FromMillis(expires), sqldb.TimeAt(redeemed)
	return g, err
}

// LockGrantOfCode locks and returns the grant of a code, redeemed or not.
func (tx *Tx) LockGrantOfCode(hash string) (KeyGrant, error) {
	return sqldb.One(tx.db, scanGrant, "SELECT "+grantColumns+" FROM oauth_grants g WHERE g.code = $1"+
		tx.db.Engine.LockRow, hash)
}

// LockGrantOfFamily locks and returns the grant of a family of refresh tokens.
func (tx *Tx) LockGrantOfFamily(hash string) (KeyGrant, error) {
	return sqldb.One(tx.db, scanGrant, "SELECT "+grantColumns+" FROM oauth_grants g WHERE g.family = $1"+
		tx.db.Engine.LockRow, hash)
}

// KeyGrant returns the grant of a key; ErrNotFound for a key that was made for no program.
func (q Queries) KeyGrant(keyID string) (KeyGrant, error) {
	return sqldb.One(q.db, scanGrant, "SELECT "+grantColumns+" FROM oauth_grants g WHERE g.key_id = $1", keyID)
}

// InsertGrant stores a grant whose code is not redeemed.
func (tx *Tx) InsertGrant(g KeyGrant) error {
	return tx.db.Exec(`INSERT INTO oauth_grants (key_id, user_id, client_id, client_name, code, code_expires_at, redirect, challenge,
			resource)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, g.KeyID, g.UserID, g.ClientID, g.ClientName, g.Code, g.CodeExpiresAt.UnixMilli(),
		g.Redirect, g.Challenge, g.Resource)
}

// RedeemCode records that the code of a grant was redeemed.
func (tx *Tx) RedeemCode(keyID string, at api.Time) error {
	return tx.db.ExecOne(ErrNotFound, "UPDATE oauth_grants SET redeemed_at = $2 WHERE key_id = $1 AND redeemed_at IS NULL",
		keyID, at.UnixMilli())
}

// SetRefresh stores the hashes of the present refresh token of a grant and of its family.
func (tx *Tx) SetRefresh(keyID, family, refresh string) error {
	return tx.db.ExecOne(ErrNotFound, "UPDATE oauth_grants SET family = $2, refresh = $3 WHERE key_id = $1", keyID,
		family, refresh)
}

// KeysGrantedBy returns the keys that a user has allowed programs to have and that are not revoked, those that act for
// a workspace also.
func (q Queries) KeysGrantedBy(userID string) ([]Key, error) {
	return sqldb.List(q.db, scanKey, "SELECT "+keyColumns+keysOf+`JOIN oauth_grants g ON g.key_id = k.id
		WHERE g.user_id = $1 AND k.revoked_at IS NULL ORDER BY k.id`, userID)
}

// UnredeemedKeys returns at most limit keys that are not revoked, and whose codes have expired before they were
// redeemed.
func (q Queries) UnredeemedKeys(now api.Time, limit int) ([]Key, error) {
	return sqldb.List(q.db, scanKey, "SELECT "+keyColumns+keysOf+`JOIN oauth_grants g ON g.key_id = k.id
		WHERE g.redeemed_at IS NULL AND g.code_expires_at <= $1 AND k.revoked_at IS NULL ORDER BY k.id LIMIT $2`, now.UnixMilli(), limit)
}
