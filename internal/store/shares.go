package store

import (
	"bugslice/api"
	"bugslice/internal/store/policies"
	"bugslice/internal/store/sqldb"
)

// Share is a stored share with its slice and its creator. Active is not set.
type Share struct {
	api.Share
	OrgID        string
	WorkspaceID  string
	WorkspaceKey string
	Number       int64 // of the slice
	Summary      string
	SliceDeleted bool
	Creator      ShareCreator
}

// ShareCreator is the state of the user and the key that created a share, as the policy of the organisation leaves it.
type ShareCreator struct {
	Name         string
	IsMember     bool // whether the user is a member of the workspace
	UserDisabled bool
	KeyRevoked   bool
	KeyExpiresAt *api.Time
	KeyScopes    []api.Scope
}

const selectShares = `SELECT h.id, h.slice_id, h.workspace_id, h.parts, h.user_id, h.key_id, h.created_at, h.expires_at, h.openings,
		h.last_opened_at, w.org_id, w.key, s.number, s.summary, s.deleted_at, COALESCE(u.name, k.name), m.user_id, u.disabled_at,
		k.revoked_at, k.expires_at, COALESCE(k.scopes, ''), COALESCE(k.type, ''), COALESCE(k.created_at, 0), ` + policies.Columns + `
	FROM shares h JOIN slices s ON s.id = h.slice_id JOIN workspaces w ON w.id = h.workspace_id JOIN organizations o ON o.id = w.org_id
		LEFT JOIN users u ON u.id = h.user_id LEFT JOIN memberships m ON m.workspace_id = h.workspace_id AND m.user_id = h.user_id
		LEFT JOIN api_keys k ON k.id = h.key_id `

func scanShare(r sqldb.Row) (s Share, err error) {
	var parts, scopes string
	var created, expires, keyCreated int64
	var opened, deleted, disabled, revoked, keyExpires *int64
	var member *string
	var keyType api.KeyType
	var p policies.Row
	err = r.Scan(append([]any{&s.ID, &s.SliceID, &s.WorkspaceID, &parts, &s.CreatedBy.UserID, &s.CreatedBy.KeyID, &created, &expires,
		&s.Openings,
		&opened, &s.OrgID, &s.WorkspaceKey, &s.Number, &s.Summary, &deleted, &s.Creator.Name, &member, &disabled,
		&revoked, &keyExpires, &scopes, &keyType, &keyCreated}, p.Targets()...)...)
	s.Parts, s.CreatedAt, s.ExpiresAt = split[api.SharePart](parts), api.FromMillis(created), api.FromMillis(expires)
	s.LastOpenedAt, s.SliceDeleted = sqldb.TimeAt(opened), deleted != nil
	c := &s.Creator
	c.IsMember, c.UserDisabled, c.KeyRevoked = member != nil, disabled != nil, revoked != nil
	if s.CreatedBy.KeyID != nil {
		policy := p.Decode()
		c.KeyExpiresAt = policy.KeyEnd(keyType, api.FromMillis(keyCreated), sqldb.TimeAt(keyExpires))
		c.KeyScopes = policy.KeyScopes(keyType, split[api.Scope](scopes))
	}
	return s, err
}

// ShareOfToken returns the share of the token with a hash, active or not.
func (q Queries) ShareOfToken(hash string) (Share, error) {
	return sqldb.One(q.db, scanShare, selectShares+"WHERE h.hash = $1", hash)
}

// Share returns a share, active or not.
func (q Queries) Share(id string) (Share, error) {
	return sqldb.One(q.db, scanShare, selectShares+"WHERE h.id = $1", id)
}

// Shares returns at most limit shares of a slice after afterID that have not expired, by id.
func (q Queries) Shares(sliceID, afterID string, now api.Time, limit int) ([]Share, error) {
	return sqldb.List(q.db, scanShare, selectShares+
		"WHERE h.slice_id = $1 AND h.id > $2 AND h.expires_at > $3 ORDER BY h.id LIMIT $4",
		sliceID, afterID, now.UnixMilli(), limit)
}

// WorkspaceShares returns at most limit shares of live slices of a workspace before beforeID that have not expired,
// the newest first.
func (q Queries) WorkspaceShares(workspaceID, beforeID string, now api.Time, limit int) ([]Share, error) {
	return sqldb.List(q.db, scanShare, selectShares+`WHERE h.workspace_id = $1 AND h.id < $2 AND h.expires_at > $3 AND s.deleted_at IS NULL
		ORDER BY h.id DESC LIMIT $4`, workspaceID, beforeID, now.UnixMilli(), limit)
}

// CountShares returns the number of shares of a slice that have not expired.
func (q Queries) CountShares(sliceID string, now api.Time) (int, error) {
	return sqldb.One(q.db, sqldb.ScanOne[int],
		"SELECT count(*) FROM shares WHERE slice_id = $1 AND expires_at > $2", sliceID, now.UnixMilli())
}

// InsertShare stores a new share with the hash of its token.
func (tx *Tx) InsertShare(s Share, hash string) error {
	return tx.db.Exec(`INSERT INTO shares (id, slice_id, workspace_id, hash, parts, user_id, key_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, s.ID, s.SliceID, s.WorkspaceID, hash, join(s.Parts), s.CreatedBy.UserID,
		s.CreatedBy.KeyID, s.CreatedAt.UnixMilli(), s.ExpiresAt.UnixMilli())
}

// DeleteShare deletes a share. It returns ErrNotFound if the share does not exist.
func (tx *Tx) DeleteShare(id string) error {
	return tx.db.ExecOne(ErrNotFound, "DELETE FROM shares WHERE id = $1", id)
}

// RecordOpenings adds openings of a share, with the time of the last one, or returns ErrNotFound.
func (tx *Tx) RecordOpenings(id string, count int64, at api.Time) error {
	return tx.db.ExecOne(ErrNotFound, `UPDATE shares SET openings = openings + $2,
		last_opened_at = CASE WHEN last_opened_at > $3 THEN last_opened_at ELSE $3 END WHERE id = $1`, id, count, at.UnixMilli())
}

// MarkOpeningRecorded marks that an event of an opening is recorded now. It returns false when one was recorded after
// since.
func (tx *Tx) MarkOpeningRecorded(id string, now, since api.Time) (bool, error) {
	n, err := tx.db.ExecCount("UPDATE shares SET recorded_at = $2 WHERE id = $1 AND (recorded_at IS NULL OR recorded_at <= $3)",
		id, now.UnixMilli(), since.UnixMilli())
	return n == 1, err
}
