package notices

import (
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Position is where the log of a workspace ends, and up to where users were told of it.
type Position struct {
	WorkspaceID, OrgID string
	Last               int64 // sequence of the newest event
	Told               int64
}

// Positions returns those of the workspaces whose log has events of which nobody was told.
func (q Reader) Positions() ([]Position, error) {
	return sqldb.List(q.DB, scanPosition, `SELECT w.id, w.org_id, w.last_sequence, COALESCE(p.sequence, 0)
		FROM workspaces w LEFT JOIN notice_positions p ON p.workspace_id = w.id
		WHERE w.last_sequence > COALESCE(p.sequence, 0) ORDER BY w.id`)
}

func scanPosition(r sqldb.Row) (p Position, err error) {
	return p, r.Scan(&p.WorkspaceID, &p.OrgID, &p.Last, &p.Told)
}

// Advance moves the position of a workspace, and reports whether it was the former one. Otherwise another transaction
// has told of the events between.
func (w Writer) Advance(workspaceID string, from, to int64) (bool, error) {
	n, err := w.DB.ExecCount(`INSERT INTO notice_positions (workspace_id, sequence) VALUES ($1, $3)
		ON CONFLICT (workspace_id) DO UPDATE SET sequence = excluded.sequence WHERE notice_positions.sequence = $2`,
		workspaceID, from, to)
	return n > 0, err
}

// SkipAll moves the positions of workspaces without one to the end of their logs.
func (w Writer) SkipAll() error {
	return w.DB.Exec(`INSERT INTO notice_positions (workspace_id, sequence) SELECT w.id, w.last_sequence FROM workspaces w
		WHERE NOT EXISTS (SELECT 1 FROM notice_positions p WHERE p.workspace_id = w.id)`)
}

// Event is an event of the log, with what rules need of it.
type Event struct {
	ID, SliceID        string
	Sequence           int64
	Type               api.EventType
	ActorType          string
	ActorID, RequestID *string
	Data               json.RawMessage // empty when they name nobody
	CreatedAt          api.Time
}

// namesNobody is the condition that the data of an event e mention nobody and assign the slice to nobody.
const namesNobody = `e.type IN ('slice.created', 'slice.updated') AND e.data NOT LIKE '%@%'
	AND (e.type = 'slice.updated' OR e.data LIKE '%"assigneeId":null%')`

// Events returns at most limit events of the types in the log of a workspace after a sequence, in their order, up to the
// end that the position has: what was recorded since is of a later position. Most events of slices name nobody; they are
// returned without their data.
func (q Reader) Events(at Position, types []api.EventType, after int64, limit int) ([]Event, error) {
	p := sqldb.Params{Args: []any{at.WorkspaceID, after, at.Last}}
	in := sqldb.In(&p, types)
	return sqldb.List(q.DB, func(r sqldb.Row) (e Event, err error) {
		var data string
		var created int64
		err = r.Scan(&e.ID, &e.SliceID, &e.Sequence, &e.Type, &e.ActorType, &e.ActorID, &e.RequestID, &data, &created)
		e.Data, e.CreatedAt = json.RawMessage(data), api.FromMillis(created)
		return e, err
	}, `SELECT e.id, e.subject_id, e.sequence, e.type, e.actor_type, e.actor_id, e.request_id,
			CASE WHEN `+namesNobody+` THEN '' ELSE e.data END, e.created_at
		FROM events e WHERE e.workspace_id = $1 AND e.sequence > $2 AND e.sequence <= $3
			AND e.type IN `+in+" ORDER BY e.sequence LIMIT "+p.Add(limit), p.Args...)
}

// Commenters returns the users who have commented on slices, by slice.
func (q Reader) Commenters(sliceIDs []string) (map[string][]string, error) {
	var p sqldb.Params
	all := map[string][]string{}
	err := q.DB.Each(func(r sqldb.Row) error {
		var sliceID, userID string
		err := r.Scan(&sliceID, &userID)
		all[sliceID] = append(all[sliceID], userID)
		return err
	}, "SELECT DISTINCT c.slice_id, c.author_id FROM comments c WHERE c.slice_id IN "+sqldb.In(&p, sliceIDs)+
		" AND c.author_type = 'user' AND c.author_id IS NOT NULL", p.Args...)
	return all, err
}

// Readers returns which of some users are members of a workspace, and not disabled.
func (q Reader) Readers(workspaceID string, userIDs []string) ([]string, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	p := sqldb.Params{Args: []any{workspaceID}}
	return sqldb.List(q.DB, sqldb.ScanOne[string], "SELECT u.id FROM users u WHERE u.id IN "+sqldb.In(&p, userIDs)+
		` AND u.disabled_at IS NULL AND u.erased_at IS NULL
		AND (SELECT m.role FROM memberships m WHERE m.workspace_id = $1 AND m.user_id = u.id) IS NOT NULL`, p.Args...)
}
