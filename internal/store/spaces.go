package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

const spaceColumns = "id, workspace_id, name, description, version, created_at, updated_at"

func scanSpace(r sqldb.Row) (s api.Space, err error) {
	var created, updated int64
	err = r.Scan(&s.ID, &s.WorkspaceID, &s.Name, &s.Description, &s.Version, &created, &updated)
	s.CreatedAt, s.UpdatedAt = api.FromMillis(created), api.FromMillis(updated)
	return s, err
}

const spaceByID = "SELECT " + spaceColumns + " FROM spaces WHERE id = $2 AND workspace_id = $1 AND deleted_at IS NULL"

// Space returns a space of a workspace.
func (q Queries) Space(workspaceID, id string) (api.Space, error) {
	return sqldb.One(q.db, scanSpace, spaceByID, workspaceID, id)
}

// LockSpace is Space with a row lock.
func (tx *Tx) LockSpace(workspaceID, id string) (api.Space, error) {
	return sqldb.One(tx.db, scanSpace, spaceByID+tx.db.Engine.LockRow, workspaceID, id)
}

// HasSpace reports whether a workspace has a space, or has deleted one from which slices are not detached yet.
func (q Queries) HasSpace(workspaceID, id string) (bool, error) {
	found, err := sqldb.List(q.db, sqldb.ScanOne[string], "SELECT id FROM spaces WHERE id = $2 AND workspace_id = $1",
		workspaceID, id)
	return len(found) > 0, err
}

// Spaces returns at most limit spaces of a workspace after afterID, by id: all, or those whose names may have words
// that begin with the searched ones.
func (q Queries) Spaces(workspaceID string, searched []string, afterID string, limit int) ([]api.Space, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanSpace,
		"SELECT "+spaceColumns+" FROM spaces WHERE workspace_id = "+p.Add(workspaceID)+" AND id > "+p.Add(afterID)+
			" AND deleted_at IS NULL AND "+q.mayHaveWords(&p, "name", searched)+" ORDER BY id LIMIT "+p.Add(limit),
		p.Args...)
}

// InsertSpace stores a new space.
func (tx *Tx) InsertSpace(s api.Space) error {
	return tx.db.Exec(`INSERT INTO spaces (id, workspace_id, name, description, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, s.ID, s.WorkspaceID, s.Name, s.Description, s.Version,
		s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli())
}

// UpdateSpace stores the name and the description of a locked space, and raises s.Version.
func (tx *Tx) UpdateSpace(s *api.Space) error {
	s.Version++
	return tx.db.Exec("UPDATE spaces SET name = $2, description = $3, updated_at = $4, version = version + 1 WHERE id = $1",
		s.ID, s.Name, s.Description, s.UpdatedAt.UnixMilli())
}

// DeleteSpace marks a locked space as deleted: no reader finds it any more, and its slices are read without a space.
func (tx *Tx) DeleteSpace(id string, at api.Time) error {
	return tx.db.Exec("UPDATE spaces SET deleted_at = $2 WHERE id = $1", id, at.UnixMilli())
}

// LockSlicesOfDeletedSpace returns at most limit slices of the oldest deleted space, deleted or not, with row locks
// and the id of the space. It deletes a space without slices, and returns an empty id when there is no other.
func (tx *Tx) LockSlicesOfDeletedSpace(limit int) (spaceID string, all []Slice, err error) {
	for {
		ids, err := sqldb.List(tx.db, sqldb.ScanOne[string],
			"SELECT id FROM spaces WHERE deleted_at IS NOT NULL ORDER BY id LIMIT 1")
		if err != nil || len(ids) == 0 {
			return "", nil, err
		}
		all, err = sqldb.List(tx.db, scanLocked, "SELECT "+sliceColumns+
			" FROM slices s WHERE s.space_id = $1 ORDER BY s.id LIMIT $2"+
			tx.db.Engine.LockRow, ids[0], limit)
		if err != nil || len(all) > 0 {
			return ids[0], all, err
		}
		if err := tx.db.Exec("DELETE FROM spaces WHERE id = $1", ids[0]); err != nil {
			return "", nil, err
		}
	}
}

// DetachSlice stores the next version of a slice without the deleted space that it had.
func (tx *Tx) DetachSlice(s *Slice) error {
	s.deletedSpaceID = nil
	return tx.UpdateSlice(s)
}
