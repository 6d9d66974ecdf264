package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Credential is a token with its key and its user.
type Credential struct {
	Key
	TokenExpiresAt *api.Time // of a token in its grace period
	OrgName        string
	UserName       string
	UserEmail      string
	UserDisabled   bool
}

// Credential returns the credential of the token with a hash, valid or not. A WST has no user. The credential of a
// token that lapses before its key expires at that time.
func (q Queries) Credential(tokenHash string) (Credential, error) {
	return sqldb.One(q.brief().db, func(r sqldb.Row) (Credential, error) {
		var k keyRow
		var c Credential
		var graceEnd, lapse, disabledAt *int64
		var userName, userEmail *string
		err := r.Scan(append(k.targets(), &graceEnd, &lapse, &c.OrgName, &userName, &userEmail, &disabledAt)...)
		c.Key, c.TokenExpiresAt, c.UserDisabled = k.decode(), sqldb.TimeAt(graceEnd), disabledAt != nil
		c.UserName, c.UserEmail = textOrEmpty(userName), textOrEmpty(userEmail)
		if lapses := sqldb.TimeAt(lapse); lapses != nil && (c.ExpiresAt == nil || lapses.Before(c.ExpiresAt.Time)) {
			c.ExpiresAt = lapses
		}
		return c, err
	}, "SELECT "+keyColumns+`, t.expires_at, t.lapses_at, o.name, u.name, u.email, u.disabled_at
		FROM key_tokens t JOIN api_keys k ON k.id = t.key_id JOIN organizations o ON o.id = k.org_id
			LEFT JOIN users u ON u.id = k.user_id
		WHERE t.hash = $1`, tokenHash)
}

// LockCredential locks the key of a token, and its user, against changes until the transaction ends. changedKeyID
// is another key of the organisation that the transaction changes, or empty: keys are locked in the order of
// their ids, so that two transactions that change each other's keys do not deadlock. On SQLite, where writes are
// serial, it locks nothing.
func (tx *Tx) LockCredential(tokenHash, changedKeyID string) error {
	if tx.db.Engine.LockRow == "" {
		return nil
	}
	_, err := sqldb.List(tx.db, sqldb.ScanOne[string], `SELECT k.id FROM api_keys k
		WHERE k.id = (SELECT key_id FROM key_tokens WHERE hash = $1) OR k.id = $2 AND k.org_id =
			(SELECT o.org_id FROM key_tokens t JOIN api_keys o ON o.id = t.key_id WHERE t.hash = $1)
		ORDER BY k.id`+tx.db.Engine.LockRow, tokenHash, changedKeyID)
	if err != nil {
		return err
	}
	_, err = sqldb.List(tx.db, sqldb.ScanOne[string], `SELECT u.id FROM users u WHERE u.id =
			(SELECT k.user_id FROM key_tokens t JOIN api_keys k ON k.id = t.key_id WHERE t.hash = $1)`+tx.db.Engine.LockShare, tokenHash)
	return err
}

// CredentialValid reports whether a token is still valid, its key has the given scopes and the policy as they were read,
// and each of the memberships is unchanged. Whether that policy has ended the key since is not asked.
// On SQLite, where writes are serial, they cannot have changed since the transaction began.
func (tx *Tx) CredentialValid(hash string, k Key, now api.Time, memberships []Membership) (bool, error) {
	if tx.db.Engine.LockRow == "" {
		return true, nil
	}
	p := sqldb.Params{Args: []any{hash, now.UnixMilli(), join(k.GivenScopes), k.Policy.Version}}
	text := `SELECT count(*) FROM key_tokens t JOIN api_keys k ON k.id = t.key_id JOIN organizations o ON o.id = k.org_id
			LEFT JOIN users u ON u.id = k.user_id
		WHERE t.hash = $1 AND o.policy_version = $4 AND (t.expires_at IS NULL OR t.expires_at > $2) AND k.revoked_at IS NULL
		AND (t.lapses_at IS NULL OR t.lapses_at > $2)
		AND (k.expires_at IS NULL OR k.expires_at > $2) AND k.scopes = $3 AND u.disabled_at IS NULL` + unchanged(&p, memberships)
	n, err := sqldb.One(tx.db, sqldb.ScanOne[int], text, p.Args...)
	return n == 1, err
}
