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
	Type        api.EventType
	Actor       Actor
	SubjectKind string
	SubjectID   string
	Data        json.RawMessage
	CreatedAt   api.Time
	Request     Request // only stored; lists of events do not read it
}

// Request is the request in which an event was caused, and the address of its client; nil outside of one.
type Request struct {
	ID            *string
	ClientAddress *string
}

// Actor is who caused an event: a user, a service (a WST) or the operator at the command line.
type Actor struct {
	Type  string
	ID    *string
	KeyID *string
}

// InsertEvent stores an event.
func (tx *Tx) InsertEvent(e Event) error {
	_, err := tx.db.exec(`INSERT INTO events (id, org_id, workspace_id, sequence, type, actor_type, actor_id, actor_key_id,
			subject_kind, subject_id, data, created_at, request_id, client_address)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		e.ID, e.OrgID, e.WorkspaceID, e.Sequence, e.Type, e.Actor.Type, e.Actor.ID, e.Actor.KeyID, e.SubjectKind, e.SubjectID,
		string(e.Data), e.CreatedAt.UnixMilli(), e.Request.ID, e.Request.ClientAddress)
	return err
}

const eventColumns = "e.id, e.org_id, e.workspace_id, e.sequence, e.type, e.actor_type, e.actor_id, e.actor_key_id, e.subject_kind, e.subject_id, e.data, e.created_at"

// EventFilter says which events of a workspace a page holds, and where it begins.
type EventFilter struct {
	WorkspaceID string
	Types       []api.EventType // at least one
	After       int64           // sequence
	Limit       int
}

// Events returns at most f.Limit events of a workspace, by sequence.
func (q Queries) Events(f EventFilter) ([]Event, error) {
	var p params
	return list(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE workspace_id = "+p.add(f.WorkspaceID)+" AND sequence > "+p.add(f.After)+
		" AND type IN "+in(&p, f.Types)+" ORDER BY sequence LIMIT "+p.add(f.Limit), p.args...)
}

// Event returns an event of a workspace.
func (q Queries) Event(workspaceID, id string) (Event, error) {
	return one(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE id = $2 AND workspace_id = $1", workspaceID, id)
}

func scanEvent(r row) (e Event, err error) {
	var data string
	var created int64
	err = r.Scan(&e.ID, &e.OrgID, &e.WorkspaceID, &e.Sequence, &e.Type, &e.Actor.Type, &e.Actor.ID, &e.Actor.KeyID, &e.SubjectKind, &e.SubjectID, &data, &created)
	e.Data, e.CreatedAt = json.RawMessage(data), api.FromMillis(created)
	return e, err
}

// SequenceBefore returns the sequence of the last event of a workspace that was written before
// a time, 0 for none. Events are written in the order of time, give or take clocks, so it is
// found by halving.
func (q Queries) SequenceBefore(workspaceID string, at api.Time) (int64, error) {
	low := int64(0)
	high, err := q.LastSequence(workspaceID)
	for err == nil && low < high {
		middle := (low + high + 1) / 2
		var older []int64
		older, err = list(q.db, scanOne[int64], "SELECT sequence FROM events WHERE workspace_id = $1 AND sequence = $2 AND created_at < $3", workspaceID, middle, at.UnixMilli())
		if len(older) > 0 {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, err
}

// LastSequence returns the sequence of the newest event of a workspace.
func (q Queries) LastSequence(workspaceID string) (int64, error) {
	return one(q.db, scanOne[int64], "SELECT last_sequence FROM workspaces WHERE id = $1", workspaceID)
}

// LastSequences returns the last sequence of each workspace.
func (q Queries) LastSequences(workspaces []string) (map[string]int64, error) {
	var p params
	type workspace struct {
		id       string
		sequence int64
	}
	rows, err := list(q.db, func(r row) (w workspace, err error) { return w, r.Scan(&w.id, &w.sequence) },
		"SELECT id, last_sequence FROM workspaces WHERE id IN "+in(&p, workspaces), p.args...)
	last := make(map[string]int64, len(rows))
	for _, w := range rows {
		last[w.id] = w.sequence
	}
	return last, err
}
