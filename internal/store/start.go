package store

// Start is what has been done in a workspace since it was created.
type Start struct{ KeyUsed, Demo, Imported, Shared, Established bool }

// Start returns what has been done in a workspace. A demo report has the label demo. A workspace is established once it has a number
// of reports.
func (q Queries) Start(workspaceID, userID string, reports int) (Start, error) {
	return one(q.db, func(r row) (s Start, err error) {
		return s, r.Scan(&s.KeyUsed, &s.Demo, &s.Imported, &s.Shared, &s.Established)
	}, `SELECT EXISTS (SELECT 1 FROM api_keys
				WHERE (workspace_id = $1 OR workspace_id IS NULL AND user_id = $2) AND last_used_at IS NOT NULL),
			EXISTS (SELECT 1 FROM live_labels WHERE workspace_id = $1 AND label = 'demo'),
			EXISTS (SELECT 1 FROM slices
				WHERE workspace_id = $1 AND deleted_at IS NULL AND external_id >= 'github:' AND external_id < 'github;'),
			EXISTS (SELECT 1 FROM memberships WHERE workspace_id = $1 AND user_id <> $2),
			EXISTS (SELECT 1 FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL LIMIT 1 OFFSET $3)`,
		workspaceID, userID, reports-1)
}
