package store

import (
	"bugslice/api"
)

const spaceColumns = "id, workspace_id, name, description, created_at, updated_at"

func scanSpace(r row) (s api.Space, err error) {
	var created, updated int64
	err = r.Scan(&s.ID, &s.WorkspaceID, &s.Name, &s.Description, &created, &updated)
	s.CreatedAt, s.UpdatedAt = api.FromMillis(created), api.FromMillis(updated)
	return s, err
}

// Space returns a space of a workspace.
func (q Queries) Space(workspaceID, id string) (api.Space, error) {
	return one(q.db, scanSpace, "SELECT "+spaceColumns+" FROM spaces WHERE id = $2 AND workspace_id = $1", workspaceID, id)
}

// Spaces returns at most limit spaces of a workspace after afterID, by id.
func (q Queries) Spaces(workspaceID, afterID string, limit int) ([]api.Space, error) {
	return list(q.db, scanSpace, "SELECT "+spaceColumns+" FROM spaces WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT $3",
		workspaceID, afterID, limit)
}

// InsertSpace stores a new space.
func (tx *Tx) InsertSpace(s api.Space) error {
	return tx.db.exec(`INSERT INTO spaces (id, workspace_id, name, description, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.ID, s.WorkspaceID, s.Name, s.Description, s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli())
}
