package store

import (
	"bugslice/api"
	"bugslice/internal/policy"
	"bugslice/internal/store/policies"
	"bugslice/internal/store/sqldb"
)

// Key is a stored API key. Its scopes and its expiry are those that the policy of its organisation leaves it.
type Key struct {
	api.Key
	OrgID     string
	RevokedAt *api.Time

	GivenScopes []api.Scope // that the key was created with
	GivenExpiry *api.Time
	Policy      *policy.Policy // of the organisation; nil for a key that was not read
}

const keyColumns = `k.id, k.org_id, k.type, k.name, k.scopes, k.user_id, k.workspace_id, k.last4, k.created_by_user,
	k.created_by_key, k.created_at, k.expires_at, k.rotated_at, k.last_used_at, k.revoked_at, k.withhold_guests,
	k.files_only, ` + policies.Columns

// keysOf are the keys of keyColumns, with their organisations.
const keysOf = " FROM api_keys k JOIN organizations o ON o.id = k.org_id "

type keyRow struct {
	key                             Key
	scopes                          string
	created, withholds, filesOnly   int64
	expires, rotated, used, revoked *int64
	policy                          policies.Row
}

func (r *keyRow) targets() []any {
	k := &r.key
	return append([]any{&k.ID, &k.OrgID, &k.Type, &k.Name, &r.scopes, &k.UserID, &k.WorkspaceID, &k.Last4,
		&k.CreatedBy.UserID, &k.CreatedBy.KeyID, &r.created, &r.expires, &r.rotated, &r.used, &r.revoked, &r.withholds,
		&r.filesOnly}, r.policy.Targets()...)
}

func (r *keyRow) decode() Key {
	k := &r.key
	k.GivenScopes, k.CreatedAt = split[api.Scope](r.scopes), api.FromMillis(r.created)
	k.GivenExpiry, k.RotatedAt, k.LastUsedAt, k.RevokedAt = sqldb.TimeAt(r.expires), sqldb.TimeAt(r.rotated), sqldb.TimeAt(r.used),
		sqldb.TimeAt(r.revoked)
	k.Policy = r.policy.Decode()
	k.Scopes, k.ExpiresAt = k.Policy.KeyScopes(k.Type, k.GivenScopes), k.Policy.KeyEnd(k.Type, k.CreatedAt, k.GivenExpiry)
	k.WithholdGuests, k.FilesOnly = r.withholds == 1, r.filesOnly == 1
	return *k
}

func scanKey(r sqldb.Row) (Key, error) {
	var k keyRow
	err := r.Scan(k.targets()...)
	return k.decode(), err
}

// Key returns a key that is not revoked.
func (q Queries) Key(id string) (Key, error) {
	return sqldb.One(q.db, scanKey, "SELECT "+keyColumns+keysOf+"WHERE k.id = $1 AND k.revoked_at IS NULL",
		id)
}

// StoredKey returns a key, also a revoked one.
func (q Queries) StoredKey(id string) (Key, error) {
	return sqldb.One(q.db, scanKey, "SELECT "+keyColumns+keysOf+"WHERE k.id = $1", id)
}

// Keys returns at most limit keys after afterID that are not revoked, by id: the PATs of a user and the WSTs of the
// workspaces.
func (q Queries) Keys(userID string, workspaces []string, afterID string, limit int) ([]Key, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanKey, "SELECT "+keyColumns+keysOf+"WHERE "+ownedKeys(&p, userID, workspaces)+
		" AND k.revoked_at IS NULL AND k.id > "+p.Add(afterID)+" ORDER BY k.id LIMIT "+p.Add(limit), p.Args...)
}

// KeysIn returns the keys of an organisation that are not revoked, oldest first.
func (q Queries) KeysIn(orgID string) ([]Key, error) {
	return sqldb.List(q.db, scanKey,
		"SELECT "+keyColumns+keysOf+"WHERE k.org_id = $1 AND k.revoked_at IS NULL ORDER BY k.id", orgID)
}

// EndedKeys returns at most limit keys that were revoked, or else have expired, since an instant, the last one first:
// the PATs of a user and the WSTs of the workspaces.
func (q Queries) EndedKeys(userID string, workspaces []string, since, now api.Time, limit int) ([]Key, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanKey, "SELECT "+keyColumns+keysOf+"WHERE "+ownedKeys(&p, userID, workspaces)+
		" AND COALESCE(k.revoked_at, "+policies.KeyExpiry+") BETWEEN "+p.Add(since.UnixMilli())+" AND "+p.Add(now.UnixMilli())+
		" ORDER BY COALESCE(k.revoked_at, "+policies.KeyExpiry+") DESC, k.id DESC LIMIT "+p.Add(limit), p.Args...)
}

// ownedKeys returns the condition of the PATs of a user and the WSTs of the workspaces.
func ownedKeys(p *sqldb.Params, userID string, workspaces []string) string {
	owned := "k.user_id = " + p.Add(userID)
	if len(workspaces) > 0 {
		owned = "(" + owned + " OR k.workspace_id IN " + sqldb.In(p, workspaces) + ")"
	}
	return owned
}

// InsertKey stores a new key with the hash of its token.
func (tx *Tx) InsertKey(k Key, hash string) error {
	err := tx.db.Exec(`INSERT INTO api_keys (id, org_id, type, name, scopes, user_id, workspace_id, last4, created_by_user,
			created_by_key, created_at, expires_at, withhold_guests, files_only)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		k.ID, k.OrgID, k.Type, k.Name, join(k.Scopes), k.UserID, k.WorkspaceID, k.Last4, k.CreatedBy.UserID,
		k.CreatedBy.KeyID, k.CreatedAt.UnixMilli(), sqldb.Millis(k.ExpiresAt), sqldb.Flag(k.WithholdGuests), sqldb.Flag(k.FilesOnly))
	if err != nil {
		return err
	}
	return tx.insertToken(k.ID, NewToken{Hash: hash, CreatedAt: k.CreatedAt})
}

func (tx *Tx) insertToken(keyID string, t NewToken) error {
	return tx.db.Exec("INSERT INTO key_tokens (hash, key_id, created_at, lapses_at) VALUES ($1, $2, $3, $4)", t.Hash,
		keyID,
		t.CreatedAt.UnixMilli(), sqldb.Millis(t.LapsesAt))
}

// formerTokens is the maximum of tokens of a key in their grace period.
const formerTokens = 2

// NewToken is the hash of a token that replaces another one, with its last characters.
type NewToken struct {
	Hash, Last4 string
	CreatedAt   api.Time
	LapsesAt    *api.Time // nil for a token that ends with its key
}

// RotateToken replaces the token of a key; ErrNotFound for a revoked key. The replaced token is valid until graceEnd.
// Tokens of earlier rotations are valid until the end of their own grace period, at most formerTokens in all.
func (tx *Tx) RotateToken(keyID string, token NewToken, graceEnd api.Time) error {
	now := token.CreatedAt.UnixMilli()
	err := tx.db.ExecOne(ErrNotFound, "UPDATE api_keys SET rotated_at = $2, last4 = $3 WHERE id = $1 AND revoked_at IS NULL",
		keyID, now, token.Last4)
	if err != nil {
		return err
	}
	err = tx.db.Exec("UPDATE key_tokens SET expires_at = $2 WHERE key_id = $1 AND expires_at IS NULL", keyID,
		graceEnd.UnixMilli())
	if err != nil {
		return err
	}
	if err := tx.db.Exec(`DELETE FROM key_tokens WHERE key_id = $1 AND (expires_at <= $2 OR hash NOT IN
		(SELECT hash FROM key_tokens WHERE key_id = $1 ORDER BY created_at DESC, hash LIMIT $3))`, keyID, now, formerTokens); err != nil {
		return err
	}
	return tx.insertToken(keyID, token)
}

// RevokeKey revokes a key with its tokens; ErrNotFound for a revoked key.
func (tx *Tx) RevokeKey(keyID string, at api.Time) error {
	return tx.db.ExecOne(ErrNotFound, "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL",
		keyID, at.UnixMilli())
}

// ExpiringKeys returns at most limit valid keys that expire until before and whose expiry was not notified.
func (q Queries) ExpiringKeys(now, before api.Time, limit int) ([]Key, error) {
	return sqldb.List(q.db, scanKey, "SELECT "+keyColumns+keysOf+`WHERE k.expiry_told_at IS NULL AND k.revoked_at IS NULL
		AND `+policies.KeyExpiry+" > $1 AND "+policies.KeyExpiry+" <= $2 ORDER BY "+policies.KeyExpiry+", k.id LIMIT $3",
		now.UnixMilli(), before.UnixMilli(), limit)
}

// RecordExpiryNotice records that the expiry of a key was notified.
func (tx *Tx) RecordExpiryNotice(keyID string, at api.Time) error {
	return tx.db.Exec("UPDATE api_keys SET expiry_told_at = $2 WHERE id = $1", keyID, at.UnixMilli())
}
