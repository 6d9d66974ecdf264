package store

import (
	"slices"
	"strings"

	"bugslice/api"
)

// Key is a stored API key.
type Key struct {
	api.Key
	OrgID     string
	RevokedAt *api.Time
}

// Credential is what a token stands for: the key, who is behind it, and what ends it.
type Credential struct {
	Key
	TokenExpiresAt *api.Time // of a token in its grace period
	OrgName        string
	UserName       string
	UserEmail      string
	UserDisabled   bool
}

const keyColumns = `k.id, k.org_id, k.type, k.name, k.scopes, k.user_id, k.workspace_id, k.last4, k.created_by_user,
	k.created_by_key, k.created_at, k.expires_at, k.rotated_at, k.last_used_at, k.revoked_at`

type keyRow struct {
	key                             Key
	scopes                          string
	created                         int64
	expires, rotated, used, revoked *int64
}

func (r *keyRow) targets() []any {
	k := &r.key
	return []any{&k.ID, &k.OrgID, &k.Type, &k.Name, &r.scopes, &k.UserID, &k.WorkspaceID, &k.Last4, &k.CreatedBy.UserID,
		&k.CreatedBy.KeyID, &r.created, &r.expires, &r.rotated, &r.used, &r.revoked}
}

func (r *keyRow) finish() Key {
	k := &r.key
	k.Scopes = splitScopes(r.scopes)
	k.CreatedAt = api.FromMillis(r.created)
	k.ExpiresAt, k.RotatedAt, k.LastUsedAt, k.RevokedAt = timeAt(r.expires), timeAt(r.rotated), timeAt(r.used), timeAt(r.revoked)
	return *k
}

func splitScopes(text string) []api.Scope {
	words := strings.Fields(text)
	scopes := make([]api.Scope, len(words))
	for i, w := range words {
		scopes[i] = api.Scope(w)
	}
	return scopes
}

func joinScopes(scopes []api.Scope) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, " ")
}

func scanKey(r row) (Key, error) {
	var k keyRow
	err := r.Scan(k.targets()...)
	return k.finish(), err
}

// Credential returns what the token with that hash stands for, live or not.
func (q Queries) Credential(hash string) (Credential, error) {
	return one(q.db, func(r row) (Credential, error) {
		var k keyRow
		var c Credential
		var grace, disabled *int64
		var name, email *string
		err := r.Scan(append(k.targets(), &grace, &c.OrgName, &name, &email, &disabled)...)
		c.Key, c.TokenExpiresAt, c.UserDisabled = k.finish(), timeAt(grace), disabled != nil
		if name != nil && email != nil {
			c.UserName, c.UserEmail = *name, *email
		}
		return c, err
	}, "SELECT "+keyColumns+`, t.expires_at, o.name, u.name, u.email, u.disabled_at
		FROM key_tokens t JOIN api_keys k ON k.id = t.key_id JOIN organizations o ON o.id = k.org_id LEFT JOIN users u ON u.id = k.user_id
		WHERE t.hash = $1`, hash)
}

// LockCredential locks the key behind a token, and its user, against changes until the transaction
// ends. changed is another key of the organisation that the transaction changes, if there is one: keys are
// locked in the order of their ids, so that two that change each other do not deadlock. On SQLite, where
// writes are serial, it locks nothing.
func (tx *Tx) LockCredential(hash, changed string) error {
	if tx.db.engine.lockRow == "" {
		return nil
	}
	_, err := list(tx.db, scanOne[string], `SELECT k.id FROM api_keys k
		WHERE k.id = (SELECT key_id FROM key_tokens WHERE hash = $1) OR k.id = $2 AND k.org_id =
			(SELECT o.org_id FROM key_tokens t JOIN api_keys o ON o.id = t.key_id WHERE t.hash = $1)
		ORDER BY k.id`+tx.db.engine.lockRow, hash, changed)
	if err != nil {
		return err
	}
	_, err = list(tx.db, scanOne[string], `SELECT u.id FROM users u
		WHERE u.id = (SELECT k.user_id FROM key_tokens t JOIN api_keys k ON k.id = t.key_id WHERE t.hash = $1)`+tx.db.engine.lockShare, hash)
	return err
}

// Membership is what a user is in a workspace.
type Membership struct {
	WorkspaceID, UserID string
	Role                api.Role
}

// CredentialStands says whether a token still works with those scopes and each of the memberships is as it was. On
// SQLite, where writes are serial, nothing can have changed since the transaction began.
func (tx *Tx) CredentialStands(hash string, scopes []api.Scope, now api.Time, memberships []Membership) (bool, error) {
	if tx.db.engine.lockRow == "" {
		return true, nil
	}
	p := params{args: []any{hash, now.UnixMilli(), joinScopes(scopes)}}
	text := `SELECT count(*) FROM key_tokens t JOIN api_keys k ON k.id = t.key_id LEFT JOIN users u ON u.id = k.user_id
		WHERE t.hash = $1 AND (t.expires_at IS NULL OR t.expires_at > $2) AND k.revoked_at IS NULL
		AND (k.expires_at IS NULL OR k.expires_at > $2) AND k.scopes = $3 AND u.disabled_at IS NULL`
	for _, m := range slices.Compact(memberships) {
		text += " AND EXISTS (SELECT 1 FROM memberships WHERE workspace_id = " + p.add(m.WorkspaceID) +
			" AND user_id = " + p.add(m.UserID) + " AND role = " + p.add(string(m.Role)) + ")"
	}
	n, err := one(tx.db, scanOne[int], text, p.args...)
	return n == 1, err
}

// Key returns a key that is not revoked.
func (q Queries) Key(id string) (Key, error) {
	return one(q.db, scanKey, "SELECT "+keyColumns+" FROM api_keys k WHERE k.id = $1 AND k.revoked_at IS NULL", id)
}

// Keys returns at most limit unrevoked keys behind afterID: the PATs of a user and the WSTs
// of the workspaces.
func (q Queries) Keys(userID string, workspaces []string, afterID string, limit int) ([]Key, error) {
	var p params
	owned := "k.user_id = " + p.add(userID)
	if len(workspaces) > 0 {
		owned = "(" + owned + " OR k.workspace_id IN " + in(&p, workspaces) + ")"
	}
	return list(q.db, scanKey, "SELECT "+keyColumns+" FROM api_keys k WHERE "+owned+
		" AND k.revoked_at IS NULL AND k.id > "+p.add(afterID)+" ORDER BY k.id LIMIT "+p.add(limit), p.args...)
}

// InsertKey stores a new key with the hash of its token.
func (tx *Tx) InsertKey(k Key, hash string) error {
	_, err := tx.db.exec(`INSERT INTO api_keys (id, org_id, type, name, scopes, user_id, workspace_id, last4, created_by_user, created_by_key, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		k.ID, k.OrgID, k.Type, k.Name, joinScopes(k.Scopes), k.UserID, k.WorkspaceID, k.Last4, k.CreatedBy.UserID, k.CreatedBy.KeyID,
		k.CreatedAt.UnixMilli(), millis(k.ExpiresAt))
	if err != nil {
		return err
	}
	return tx.insertToken(k.ID, hash, k.CreatedAt)
}

func (tx *Tx) insertToken(keyID, hash string, at api.Time) error {
	_, err := tx.db.exec("INSERT INTO key_tokens (hash, key_id, created_at) VALUES ($1, $2, $3)", hash, keyID, at.UnixMilli())
	return err
}

// FormerTokens is how many tokens in grace a key keeps beside the current one.
const FormerTokens = 2

// RotateToken gives a key a new token. The current one works until grace, those of earlier
// rotations until their own, and of them the newest FormerTokens at most.
func (tx *Tx) RotateToken(keyID, hash, last4 string, at, grace api.Time) error {
	now := at.UnixMilli()
	n, err := tx.db.exec("UPDATE api_keys SET rotated_at = $2, last4 = $3 WHERE id = $1 AND revoked_at IS NULL", keyID, now, last4)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return err
	}
	if _, err := tx.db.exec("UPDATE key_tokens SET expires_at = $2 WHERE key_id = $1 AND expires_at IS NULL", keyID, grace.UnixMilli()); err != nil {
		return err
	}
	if _, err := tx.db.exec(`DELETE FROM key_tokens WHERE key_id = $1 AND (expires_at <= $2 OR hash NOT IN
		(SELECT hash FROM key_tokens WHERE key_id = $1 ORDER BY created_at DESC, hash LIMIT $3))`, keyID, now, FormerTokens); err != nil {
		return err
	}
	return tx.insertToken(keyID, hash, at)
}

// RevokeKey ends a key and every token of it; ErrNotFound when it is revoked already.
func (tx *Tx) RevokeKey(keyID string, at api.Time) error {
	n, err := tx.db.exec("UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", keyID, at.UnixMilli())
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// TouchKey notes that a key was used.
func (tx *Tx) TouchKey(keyID string, at api.Time) error {
	_, err := tx.db.exec("UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)", keyID, at.UnixMilli())
	return err
}

// KeysExpiring returns at most limit live keys that expire before the time and were not told of.
func (q Queries) KeysExpiring(now, before api.Time, limit int) ([]Key, error) {
	return list(q.db, scanKey, "SELECT "+keyColumns+` FROM api_keys k WHERE k.expires_at > $1 AND k.expires_at <= $2
		AND k.expiry_told_at IS NULL AND k.revoked_at IS NULL ORDER BY k.expires_at, k.id LIMIT $3`, now.UnixMilli(), before.UnixMilli(), limit)
}

// ToldExpiry notes that somebody was told of a key's expiry.
func (tx *Tx) ToldExpiry(keyID string, at api.Time) error {
	_, err := tx.db.exec("UPDATE api_keys SET expiry_told_at = $2 WHERE id = $1", keyID, at.UnixMilli())
	return err
}
