package store

import (
	"encoding/json"
	"slices"
	"strings"

	"bugslice/api"
)

const eventColumns = `e.id, e.org_id, e.workspace_id, e.sequence, e.type, e.actor_type, e.actor_id, e.actor_key_id, e.subject_kind,
	e.subject_id, e.data, e.created_at`

func scanEvent(r row) (e Event, err error) {
	var data string
	var created int64
	err = r.Scan(&e.ID, &e.OrgID, &e.WorkspaceID, &e.Sequence, &e.Type, &e.Actor.Type, &e.Actor.ID, &e.Actor.KeyID, &e.SubjectKind,
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
		rows[i] = []any{e.ID, e.OrgID, e.WorkspaceID, e.Sequence, e.Type, e.Actor.Type, e.Actor.ID, e.Actor.KeyID, e.Actor.SessionID,
			e.SubjectKind, e.SubjectID, e.Data, e.CreatedAt.UnixMilli(), e.Request.ID, e.Request.ClientAddress}
	}
	tx.events = nil
	_, err := tx.db.insert("events", "id TEXT, org_id TEXT, workspace_id TEXT, sequence BIGINT, type TEXT, actor_type TEXT, "+
		"actor_id TEXT, actor_key_id TEXT, actor_session_id TEXT, subject_kind TEXT, subject_id TEXT, data TEXT, created_at BIGINT, "+
		"request_id TEXT, client_address TEXT", rows, "")
	return err
}

// Event returns an event of a workspace.
func (q Queries) Event(workspaceID, id string) (Event, error) {
	return one(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE id = $2 AND workspace_id = $1", workspaceID, id)
}

// Event is Queries.Event, of the changes as well.
func (tx *Tx) Event(workspaceID, id string) (Event, error) {
	if i := slices.IndexFunc(tx.events, func(e Event) bool { return e.ID == id && orNull(e.WorkspaceID) == workspaceID }); i >= 0 {
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
	var p params
	return list(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE workspace_id = "+p.add(f.WorkspaceID)+
		" AND sequence > "+p.add(f.After)+" AND type IN "+in(&p, f.Types)+" ORDER BY sequence LIMIT "+p.add(f.Limit), p.args...)
}

// EventsAbout returns at most limit events of the types about a subject after afterID, by id.
func (q Queries) EventsAbout(subjectID string, types []api.EventType, afterID string, limit int) ([]Event, error) {
	var p params
	return list(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE e.subject_id = "+p.add(subjectID)+
		" AND e.id > "+p.add(afterID)+" AND e.type IN "+in(&p, types)+" ORDER BY e.id LIMIT "+p.add(limit), p.args...)
}

// NewestEventsAbout returns the newest limit events of the types about a subject, with ids from between[0] and, unless it is empty,
// before between[1], newest first.
func (q Queries) NewestEventsAbout(subjectID string, types []api.EventType, between [2]string, limit int) ([]Event, error) {
	var p params
	where := "e.subject_id = " + p.add(subjectID) + " AND e.id >= " + p.add(between[0])
	if between[1] != "" {
		where += " AND e.id < " + p.add(between[1])
	}
	return list(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE "+where+" AND e.type IN "+in(&p, types)+
		" ORDER BY e.id DESC LIMIT "+p.add(limit), p.args...)
}

// EventsOfRequest returns the events of the types that a request of an actor with a session or a key has caused, of those with ids from
// between[0] and before between[1].
func (q Queries) EventsOfRequest(requestID string, a Actor, types []api.EventType, between [2]string) ([]Event, error) {
	var p params
	return list(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE e.id >= "+p.add(between[0])+" AND e.id < "+p.add(between[1])+
		" AND e.type IN "+in(&p, types)+" AND e.request_id = "+p.add(requestID)+
		" AND (e.actor_session_id = "+p.add(a.SessionID)+" OR e.actor_key_id = "+p.add(a.KeyID)+") ORDER BY e.id", p.args...)
}

// EventsWithoutDelivery returns the first limit events of a workspace after a sequence, of the types, without a delivery to a
// webhook.
func (q Queries) EventsWithoutDelivery(workspaceID, webhookID string, types []api.EventType, after int64, limit int) ([]Event, error) {
	var p params
	return list(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE e.workspace_id = "+p.add(workspaceID)+
		" AND e.sequence > "+p.add(after)+" AND e.type IN "+in(&p, types)+
		" AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id AND d.webhook_id = "+p.add(webhookID)+
		") ORDER BY e.sequence LIMIT "+p.add(limit), p.args...)
}

// SequenceBefore returns the sequence of the last event of a workspace before a time, 0 for none. Times grow with
// sequences, apart from differences between clocks, so a binary search finds it.
func (q Queries) SequenceBefore(workspaceID string, at api.Time) (int64, error) {
	low := int64(0)
	high, err := q.LastSequence(workspaceID)
	for err == nil && low < high {
		middle := (low + high + 1) / 2
		var older []int64
		older, err = list(q.db, scanOne[int64],
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
	p := params{args: []any{s.ID, `%"comment":{"id":"` + strings.ReplaceAll(commentID, "_", "!_") + `"%`}}
	where := " WHERE subject_id = $1 AND data LIKE $2 ESCAPE '!' AND type IN " + in(&p, types)
	bytes, err := list(tx.db, scanOne[int64], "SELECT octet_length(data) FROM events"+where, p.args...)
	if err != nil {
		return err
	}
	for _, n := range bytes {
		tx.Charge(s.WorkspaceID, int64(len(data))-n)
	}
	return tx.db.exec("UPDATE events SET data = "+p.add(string(data))+where, p.args...)
}
