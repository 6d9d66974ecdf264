package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// KeyUse is a use of a key and its client. Address and UserAgent are empty for a use from before they were recorded.
type KeyUse struct {
	At                 api.Time
	Address, UserAgent string
}

// KeyDetail has the stored facts of a key that Key does not have.
type KeyDetail struct {
	ID          string
	Creator     string    // the name of the user, or else of the key, that created it; empty for the operator
	FormerUntil *api.Time // the last end of a grace period of its former tokens
	LastUse     *KeyUse
	RevokedAt   *api.Time // nil for a key that is not revoked
	RevokedBy   string    // the name of the user, or else of the key, that revoked it; empty when no event tells
	Client      KeyClient
}

// KeyClient is the program that a key was made for; zero for none.
type KeyClient struct {
	ID, Name string
	Renews   bool // whether the program renews the token
}

// KeyDetails returns the details of those of the keys, also of revoked ones, that are PATs of a user or WSTs of the
// workspaces.
func (q Queries) KeyDetails(ids []string, userID string, workspaces []string) ([]KeyDetail, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var p sqldb.Params
	chosen, revoked := sqldb.In(&p, ids), p.Add(api.EventKeyRevoked)
	return sqldb.List(q.db, scanKeyDetail, `SELECT k.id, COALESCE(u.name, c.name, ''),
			(SELECT max(t.expires_at) FROM key_tokens t WHERE t.key_id = k.id),
			k.last_used_at, COALESCE(k.last_used_address, ''), COALESCE(k.last_used_agent, ''), k.revoked_at,
			COALESCE((SELECT COALESCE(eu.name, ek.name) FROM events e LEFT JOIN users eu ON eu.id = e.actor_id
				LEFT JOIN api_keys ek ON ek.id = e.actor_key_id
				WHERE e.subject_id = k.id AND e.type = `+revoked+` AND k.revoked_at IS NOT NULL ORDER BY e.id DESC LIMIT 1), ''),
			COALESCE(g.client_id, ''), COALESCE(g.client_name, ''), CASE WHEN g.refresh IS NULL THEN 0 ELSE 1 END
		FROM api_keys k LEFT JOIN users u ON u.id = k.created_by_user LEFT JOIN api_keys c ON c.id = k.created_by_key
			LEFT JOIN oauth_grants g ON g.key_id = k.id
		WHERE k.id IN `+chosen+" AND "+ownedKeys(&p, userID, workspaces), p.Args...)
}

func scanKeyDetail(r sqldb.Row) (d KeyDetail, err error) {
	var former, used, revoked *int64
	var use KeyUse
	var renews int64
	err = r.Scan(&d.ID, &d.Creator, &former, &used, &use.Address, &use.UserAgent, &revoked, &d.RevokedBy, &d.Client.ID,
		&d.Client.Name,
		&renews)
	d.Client.Renews = renews == 1
	d.FormerUntil, d.RevokedAt = sqldb.TimeAt(former), sqldb.TimeAt(revoked)
	if used != nil {
		use.At = api.FromMillis(*used)
		d.LastUse = &use
	}
	return d, err
}

// RecordKeyUse records a use of a key, unless a later one is recorded.
func (tx *Tx) RecordKeyUse(keyID string, use KeyUse) error {
	return tx.db.Exec(`UPDATE api_keys SET last_used_at = $2, last_used_address = NULLIF($3, ''), last_used_agent = NULLIF($4, '')
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`,
		keyID, use.At.UnixMilli(), use.Address, use.UserAgent)
}

// KeyEvent is an event that a key caused, with what its subject is called now.
type KeyEvent struct {
	ID            string
	Type          api.EventType
	At            api.Time
	ClientAddress string // empty without one
	SubjectID     string
	WorkspaceID   string // of the event, or else of its subject; empty for a subject of no workspace, or one that is purged
	OwnerID       string // the user of a PAT that the event is about; empty for other subjects
	Name          string // of the subject; empty for one that is purged
	WorkspaceKey  string // of a slice
	Number        int64  // of a slice; 0 for other subjects
	Ended         bool   // whether the subject is deleted or revoked
}

// keyEvents reads the newest events that a key caused before an event. The range of keys, which contains one key alone,
// keeps PostgreSQL from reading the newest events of every key instead.
const keyEvents = `SELECT e.id, e.type, e.created_at, COALESCE(e.client_address, ''), e.subject_id,
		COALESCE(e.workspace_id, k.workspace_id, h.workspace_id, d.workspace_id, ''), COALESCE(k.user_id, ''),
		COALESCE(s.summary, k.name, h.url, dh.url, p.name, w.name, ''), COALESCE(sw.key, ''), COALESCE(s.number, 0),
		COALESCE(s.deleted_at, k.revoked_at, 0)
	FROM (SELECT id, type, created_at, client_address, subject_id, workspace_id FROM events
			WHERE actor_key_id >= $1 AND (actor_key_id, id) < ($1, $2) ORDER BY actor_key_id DESC, id DESC LIMIT $3) AS e
		LEFT JOIN slices s ON s.id = e.subject_id LEFT JOIN workspaces sw ON sw.id = s.workspace_id
		LEFT JOIN api_keys k ON k.id = e.subject_id
		LEFT JOIN webhooks h ON h.id = e.subject_id LEFT JOIN deliveries d ON d.id = e.subject_id
		LEFT JOIN webhooks dh ON dh.id = d.webhook_id LEFT JOIN spaces p ON p.id = e.subject_id
		LEFT JOIN workspaces w ON w.id = e.subject_id
	ORDER BY e.id DESC`

// KeyEvents returns at most limit events that a key caused before the event beforeID, newest first.
func (q Queries) KeyEvents(keyID, beforeID string, limit int) ([]KeyEvent, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (e KeyEvent, err error) {
		var at, ended int64
		err = r.Scan(&e.ID, &e.Type, &at, &e.ClientAddress, &e.SubjectID, &e.WorkspaceID, &e.OwnerID, &e.Name,
			&e.WorkspaceKey,
			&e.Number, &ended)
		e.At, e.Ended = api.FromMillis(at), ended != 0
		return e, err
	}, keyEvents, keyID, beforeID, limit)
}
