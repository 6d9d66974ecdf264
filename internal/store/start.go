package store

import "bugslice/internal/store/sqldb"

// Start is what has been done in a workspace since it was created.
type Start struct{ KeyUsed, Recorded, Replay, Imported, Shared, Established bool }

// Start returns what has been done in a workspace. A key is used once a report was filed with it. An application is recorded
// once a source has filed a report, or a key one with a replay. A replay is there with the demo report, too, which has the label
// demo. A workspace is shared once somebody else is a member or invited, and established once it has a number of
// reports. Whether a key filed a report of an established workspace is uncertain.
func (q Queries) Start(workspaceID, userID string, reports int) (Start, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (s Start, err error) {
		return s, r.Scan(&s.KeyUsed, &s.Recorded, &s.Replay, &s.Imported, &s.Shared, &s.Established)
	}, `SELECT EXISTS (SELECT 1 FROM (SELECT id FROM slices
					WHERE workspace_id = $1 AND deleted_at IS NULL LIMIT $3) AS few
				JOIN events ON events.subject_id = few.id WHERE type = 'slice.created' AND actor_key_id IS NOT NULL),
			EXISTS (SELECT 1 FROM (SELECT id, evidence_replays, visitor FROM slices
					WHERE workspace_id = $1 AND deleted_at IS NULL LIMIT $3) AS few
				WHERE visitor LIKE '%"sourceId":"src%' OR evidence_replays > 0 AND EXISTS (SELECT 1 FROM events
					WHERE events.subject_id = few.id AND type = 'slice.created' AND actor_key_id IS NOT NULL)),
			EXISTS (SELECT 1 FROM (SELECT evidence_replays FROM slices
					WHERE workspace_id = $1 AND deleted_at IS NULL LIMIT $3) AS few WHERE evidence_replays > 0)
				OR EXISTS (SELECT 1 FROM slice_statistics
				WHERE workspace_id = $1 AND kind = 'present_label' AND span = 0 AND value = 'demo'),
			EXISTS (SELECT 1 FROM slices
				WHERE workspace_id = $1 AND deleted_at IS NULL AND external_id >= 'github:' AND external_id < 'github;'),
			EXISTS (SELECT 1 FROM memberships WHERE workspace_id = $1 AND user_id <> $2)
				OR EXISTS (SELECT 1 FROM invitations WHERE org_id = (SELECT org_id FROM workspaces WHERE id = $1)
					AND workspaces LIKE '%' || $1 || '%'),
			EXISTS (SELECT 1 FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL LIMIT 1 OFFSET $3)`,
		workspaceID, userID, reports-1)
}
