package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// SliceChange is an event of a workspace with the slice that it is about, as the slice is now.
type SliceChange struct {
	Sequence int64
	Type     api.EventType
	Number   *int64 // of the slice; nil when the event is about no slice, or the slice is purged
	Version  *int64
	Deleted  bool
}

// SliceChanges returns at most limit events of a workspace after a sequence, by sequence.
func (q Queries) SliceChanges(workspaceID string, after int64, limit int) ([]SliceChange, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (c SliceChange, err error) {
		return c, r.Scan(&c.Sequence, &c.Type, &c.Number, &c.Version, &c.Deleted)
	}, `SELECT e.sequence, e.type, s.number, s.version, s.deleted_at IS NOT NULL
		FROM events e LEFT JOIN slices s ON s.id = e.subject_id AND s.workspace_id = e.workspace_id
		WHERE e.workspace_id = $1 AND e.sequence > $2 ORDER BY e.sequence LIMIT $3`, workspaceID, after, limit)
}

// WorkspacePosition is the end of the log of a workspace.
type WorkspacePosition struct {
	ID, Key  string
	Sequence int64 // of the newest event
}

// WorkspacePositions returns the ends of the logs of the workspaces of each of the users, by user id.
func (q Queries) WorkspacePositions(userIDs []string) (map[string][]WorkspacePosition, error) {
	var p sqldb.Params
	all := map[string][]WorkspacePosition{}
	_, err := sqldb.List(q.db, func(r sqldb.Row) (w WorkspacePosition, err error) {
		var userID string
		err = r.Scan(&userID, &w.ID, &w.Key, &w.Sequence)
		all[userID] = append(all[userID], w)
		return w, err
	}, `SELECT m.user_id, w.id, w.key, w.last_sequence FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
		WHERE m.user_id IN `+sqldb.In(&p, userIDs), p.Args...)
	return all, err
}
