package store

import (
	"encoding/json"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

const eventColumns = `e.id, e.org_id, e.workspace_id, e.sequence, e.type, e.actor_type, e.actor_id, e.actor_key_id, e.subject_kind,
	e.subject_id, e.data, e.created_at`

func scanEvent(r sqldb.Row) (e Event, err error) {
	var data string
	var created int64
	err = r.Scan(&e.ID, &e.OrgID, &e.WorkspaceID, &e.Sequence, &e.Type, &e.Actor.Type, &e.Actor.ID, &e.Actor.KeyID,
		&e.SubjectKind,
		&e.SubjectID, &data, &created)
	e.Data, e.CreatedAt = json.RawMessage(data), api.FromMillis(created)
	return e, err
}

// InsertEvent adds an event to the changes.
func (tx *Tx) InsertEvent(e Event) { tx.events = append(tx.events, e) }

// applyEvents writes events.
func (tx *Tx) applyEvents() error {
	rows := make([][]any, len(tx.events))
	for i, e := range tx.events {
		rows[i] = []any{e.ID, e.OrgID, e.WorkspaceID, e.Sequence, e.Type, e.Actor.Type, e.Actor.ID, e.Actor.KeyID,
			e.Actor.SessionID,
			e.SubjectKind, e.SubjectID, e.Data, e.CreatedAt.UnixMilli(), e.Request.ID, e.Request.ClientAddress}
	}
	tx.events = nil
	_, err := tx.db.Insert("events", "id TEXT, org_id TEXT, workspace_id TEXT, sequence BIGINT, type TEXT, actor_type TEXT, "+
		"actor_id TEXT, actor_key_id TEXT, actor_session_id TEXT, subject_kind TEXT, subject_id TEXT, data TEXT, created_at BIGINT, "+
		"request_id TEXT, client_address TEXT", rows, "")
	return err
}

// Event returns an event of a workspace.
func (q Queries) Event(workspaceID, id string) (Event, error) {
	return sqldb.One(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE id = $2 AND workspace_id = $1",
		workspaceID, id)
}

// Event is Queries.Event, of the changes as well.
func (tx *Tx) Event(workspaceID, id string) (Event, error) {
	if i := slices.IndexFunc(tx.events, func(e Event) bool {
		return e.ID == id &&
			orNull(e.WorkspaceID) == workspaceID
	}); i >= 0 {
		return tx.events[i], nil
	}
	return tx.Queries.Event(workspaceID, id)
}

// EventFilter is the filter and the position of a list of events.
type EventFilter struct {
	WorkspaceID string
	Types       []api.EventType // at least one
	After       int64           // sequence
	Limit       int
}

// Events returns at most f.Limit events of a workspace, by sequence.
func (q Queries) Events(f EventFilter) ([]Event, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE workspace_id = "+
		p.Add(f.WorkspaceID)+
		" AND sequence > "+p.Add(f.After)+" AND type IN "+sqldb.In(&p, f.Types)+" ORDER BY sequence LIMIT "+
		p.Add(f.Limit), p.Args...)
}

// EventsAbout returns at most limit events of the types about a subject after afterID, by id.
func (q Queries) EventsAbout(subjectID string, types []api.EventType, afterID string, limit int) ([]Event, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE e.subject_id = "+p.Add(subjectID)+
		" AND e.id > "+p.Add(afterID)+" AND e.type IN "+sqldb.In(&p, types)+" ORDER BY e.id LIMIT "+p.Add(limit),
		p.Args...)
}

// NewestEventsAbout returns the newest limit events of the types about a subject, with ids from between[0] and,
// unless it is empty, before between[1], newest first.
func (q Queries) NewestEventsAbout(subjectID string, types []api.EventType, between [2]string, limit int) (
	[]Event, error,
) {
	var p sqldb.Params
	where := "e.subject_id = " + p.Add(subjectID) + " AND e.id >= " + p.Add(between[0])
	if between[1] != "" {
		where += " AND e.id < " + p.Add(between[1])
	}
	return sqldb.List(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE "+where+" AND e.type IN "+
		sqldb.In(&p, types)+
		" ORDER BY e.id DESC LIMIT "+p.Add(limit), p.Args...)
}

// EventsByID returns the events with some ids.
func (q Queries) EventsByID(ids []string) ([]Event, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var p sqldb.Params
	return sqldb.List(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE e.id IN "+sqldb.In(&p, ids), p.Args...)
}

// EventsOfRequest returns the events of the types that a request of an actor with a session or a key has caused, of
// those with ids from between[0] and before between[1].
func (q Queries) EventsOfRequest(requestID string, a Actor, types []api.EventType, between [2]string) ([]Event, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanEvent,
		"SELECT "+eventColumns+" FROM events e WHERE e.id >= "+p.Add(between[0])+" AND e.id < "+p.Add(between[1])+
			" AND e.type IN "+sqldb.In(&p, types)+" AND e.request_id = "+p.Add(requestID)+
			" AND (e.actor_session_id = "+p.Add(a.SessionID)+" OR e.actor_key_id = "+p.Add(a.KeyID)+") ORDER BY e.id",
		p.Args...)
}

// EventsWithoutDelivery returns the first limit events of the workspace of a webhook after a sequence, of the types,
// without a delivery to it.
func (q Queries) EventsWithoutDelivery(w Webhook, types []api.EventType, after int64, limit int) ([]Event, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE e.workspace_id = "+
		p.Add(w.WorkspaceID)+
		" AND e.sequence > "+p.Add(after)+" AND e.type IN "+sqldb.In(&p, types)+
		" AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id AND d.webhook_id = "+p.Add(w.ID)+
		") ORDER BY e.sequence LIMIT "+p.Add(limit), p.Args...)
}

// SequenceBefore returns the sequence of the last event of a workspace before a time, 0 for none. Times grow with
// sequences, apart from differences between clocks, so a binary search finds it.
func (q Queries) SequenceBefore(workspaceID string, at api.Time) (int64, error) {
	low := int64(0)
	high, err := q.LastSequence(workspaceID)
	for err == nil && low < high {
		middle := (low + high + 1) / 2
		var older []int64
		older, err = sqldb.List(q.db, sqldb.ScanOne[int64],
			"SELECT sequence FROM events WHERE workspace_id = $1 AND sequence = $2 AND created_at < $3",
			workspaceID, middle, at.UnixMilli())
		if len(older) > 0 {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, err
}

// ScrubComment replaces the data of the events of the types about a slice that contain a comment. The pattern
// matches no text of users, whose quotes are escaped.
func (tx *Tx) ScrubComment(s Slice, commentID string, types []api.EventType, data []byte) error {
	p := sqldb.Params{Args: []any{s.ID, `%"comment":{"id":"` + strings.ReplaceAll(commentID, "_", "!_") + `"%`}}
	where := " WHERE subject_id = $1 AND data LIKE $2 ESCAPE '!' AND type IN " + sqldb.In(&p, types)
	bytes, err := sqldb.List(tx.db, sqldb.ScanOne[int64], "SELECT octet_length(data) FROM events"+where, p.Args...)
	if err != nil {
		return err
	}
	for _, n := range bytes {
		tx.Charge(s.WorkspaceID, int64(len(data))-n)
	}
	return tx.db.Exec("UPDATE events SET data = "+p.Add(string(data))+where, p.Args...)
}
