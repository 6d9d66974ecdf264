package store

import (
	"encoding/json"

	"bugslice/api"
)

// Event is a row of the log: who did what to which record. It is written in the transaction
// of what it tells of.
type Event struct {
	ID, OrgID   string
	WorkspaceID *string // nil for events of the organisation
	Sequence    *int64  // within the workspace
	Type        string
	Actor       Actor
	SubjectKind string
	SubjectID   string
	Data        json.RawMessage
	CreatedAt   api.Time
}

// Actor is who caused an event: a user, a service (a WST) or the operator at the command line.
type Actor struct {
	Type  string
	ID    *string
	KeyID *string
}

// InsertEvent stores an event.
func (tx *Tx) InsertEvent(e Event) error {
	_, err := tx.exec(`INSERT INTO events (id, org_id, workspace_id, sequence, type, actor_type, actor_id, actor_key_id, subject_kind, subject_id, data, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		e.ID, e.OrgID, e.WorkspaceID, e.Sequence, e.Type, e.Actor.Type, e.Actor.ID, e.Actor.KeyID, e.SubjectKind, e.SubjectID,
		string(e.Data), e.CreatedAt.UnixMilli())
	return err
}
