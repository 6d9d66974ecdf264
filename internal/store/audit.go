package store

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// AuditEvent is an event of the audit log, with the names of its actor and its key.
type AuditEvent struct {
	Event
	ActorName, ActorEmail string // empty for an actor that is no user
	KeyName, KeyLast4     string // empty without a key
	SubjectName           string // of a report, a key, a space, a workspace or a user; empty when it is deleted, and for others
}

// AuditFilter is the filter and the position of a page of the audit log. Empty members filter nothing.
type AuditFilter struct {
	OrgID        string
	Workspaces   []string // whose events are included
	Organization bool     // whether the events of no workspace are included
	UserID       string   // of the reader, who sees the private views of nobody else
	WorkspaceID  string   // the only one whose events are included
	Actors       []string // ids of users and services, and types of actors
	Types        []api.EventType
	Key          string // the id, the last four characters or the name of a key
	Address      string
	FromID       string // the oldest one
	BeforeID     string // older ones only
	Limit        int
}

// The subject is found by subqueries: PostgreSQL plans a join of nine tables for tens of milliseconds. A webhook is named
// by the data of its event, because its URL may be a secret.
const auditColumns = eventColumns + `, e.request_id, e.client_address, e.actor_session_id, COALESCE(u.name, ''), COALESCE(u.email, ''),
	COALESCE(k.name, ''), COALESCE(k.last4, ''),
	COALESCE((SELECT s.summary FROM slices s WHERE s.id = e.subject_id), (SELECT sk.name FROM api_keys sk WHERE sk.id = e.subject_id),
		(SELECT p.name FROM spaces p WHERE p.id = e.subject_id),
		(SELECT w.name FROM workspaces w WHERE w.id = e.subject_id), (SELECT su.name FROM users su WHERE su.id = e.subject_id), '')`

func scanAuditEvent(r sqldb.Row) (e AuditEvent, err error) {
	var data string
	var created int64
	err = r.Scan(&e.ID, &e.OrgID, &e.WorkspaceID, &e.Sequence, &e.Type, &e.Actor.Type, &e.Actor.ID, &e.Actor.KeyID,
		&e.SubjectKind,
		&e.SubjectID, &data, &created, &e.Request.ID, &e.Request.ClientAddress, &e.Actor.SessionID, &e.ActorName,
		&e.ActorEmail,
		&e.KeyName, &e.KeyLast4, &e.SubjectName)
	e.Data, e.CreatedAt = []byte(data), api.FromMillis(created)
	return e, err
}

// AuditEvents returns at most f.Limit events of an organisation, the newest first.
func (q Queries) AuditEvents(f AuditFilter) ([]AuditEvent, error) {
	var p sqldb.Params
	where := []string{"e.org_id = " + p.Add(f.OrgID), "e.id < " + p.Add(f.BeforeID), "e.id >= " + p.Add(f.FromID)}
	included := []string{"1 = 0"}
	if len(f.Workspaces) > 0 {
		included = append(included, "e.workspace_id IN "+sqldb.In(&p, f.Workspaces))
	}
	if f.Organization {
		included = append(included, "e.workspace_id IS NULL AND (e.subject_kind <> 'view' OR e.actor_id = "+
			p.Add(f.UserID)+")")
	}
	where = append(where, "("+strings.Join(included, " OR ")+")")
	if f.WorkspaceID != "" {
		where = append(where, "e.workspace_id = "+p.Add(f.WorkspaceID))
	}
	addFilter(&where, &p, "e.type", f.Types)
	if len(f.Actors) > 0 {
		all := sqldb.In(&p, f.Actors)
		where = append(where, "(e.actor_id IN "+all+" OR e.actor_type IN "+all+
			" OR e.type = "+p.Add(api.EventUserSignInFailed)+" AND e.subject_id IN "+all+")")
	}
	if f.Key != "" {
		key := p.Add(f.Key)
		where = append(where, "(k.id = "+key+" OR k.last4 = "+key+" OR k.name = "+key+")")
	}
	if f.Address != "" {
		where = append(where, "e.client_address = "+p.Add(f.Address))
	}
	return sqldb.List(q.db, scanAuditEvent, "SELECT "+auditColumns+` FROM events e
		LEFT JOIN users u ON u.id = e.actor_id LEFT JOIN api_keys k ON k.id = e.actor_key_id
		WHERE `+strings.Join(where, " AND ")+" ORDER BY e.id DESC LIMIT "+p.Add(f.Limit), p.Args...)
}

// EventBefore returns the id of the n-th event of an organisation before another one; empty when there are fewer.
func (q Queries) EventBefore(orgID, beforeID string, n int) (string, error) {
	ids, err := sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT e.id FROM events e WHERE e.org_id = $1 AND e.id < $2 ORDER BY e.id DESC LIMIT 1 OFFSET $3", orgID,
		beforeID, n-1)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}
