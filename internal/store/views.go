package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// View is a stored view. It has a user exactly when it has no workspace.
type View struct {
	api.View
	UserID *string
}

const viewColumns = "v.id, v.workspace_id, v.user_id, v.name, v.query, v.version, v.created_at, v.updated_at"

func scanView(r sqldb.Row) (v View, err error) {
	var created, updated int64
	err = r.Scan(&v.ID, &v.WorkspaceID, &v.UserID, &v.Name, &v.Query, &v.Version, &created, &updated)
	v.CreatedAt, v.UpdatedAt = api.FromMillis(created), api.FromMillis(updated)
	return v, err
}

const viewByID = "SELECT " + viewColumns + " FROM views v WHERE v.id = $1"

// View returns a view.
func (q Queries) View(id string) (View, error) {
	return sqldb.One(q.db, scanView, viewByID, id)
}

// LockView is View with a row lock.
func (tx *Tx) LockView(id string) (View, error) {
	return sqldb.One(tx.db, scanView, viewByID+tx.db.Engine.LockRow, id)
}

// Views returns at most limit views after afterID, by id: those of some workspaces, and those of a user alone.
func (q Queries) Views(workspaces []string, userID, afterID string, limit int) ([]View, error) {
	var p sqldb.Params
	owners := "v.user_id = " + p.Add(userID)
	if len(workspaces) > 0 {
		owners += " OR v.workspace_id IN " + sqldb.In(&p, workspaces)
	}
	return sqldb.List(q.db, scanView, "SELECT "+viewColumns+" FROM views v WHERE ("+owners+") AND v.id > "+
		p.Add(afterID)+
		" ORDER BY v.id LIMIT "+p.Add(limit), p.Args...)
}

// CountViews returns the number of views of the workspace, or of the user alone, that has a view.
func (q Queries) CountViews(of View) (int, error) {
	if of.WorkspaceID != nil {
		return sqldb.One(q.db, sqldb.ScanOne[int], "SELECT count(*) FROM views WHERE workspace_id = $1",
			*of.WorkspaceID)
	}
	return sqldb.One(q.db, sqldb.ScanOne[int], "SELECT count(*) FROM views WHERE user_id = $1", of.UserID)
}

// InsertView stores a new view.
func (tx *Tx) InsertView(v View) error {
	return tx.db.Exec(`INSERT INTO views (id, workspace_id, user_id, name, query, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		v.ID, v.WorkspaceID, v.UserID, v.Name, v.Query, v.Version, v.CreatedAt.UnixMilli(), v.UpdatedAt.UnixMilli())
}

// UpdateView stores the name and the query of a locked view as its next version.
func (tx *Tx) UpdateView(v *View) error {
	v.Version++
	return tx.db.Exec("UPDATE views SET name = $2, query = $3, version = $4, updated_at = $5 WHERE id = $1",
		v.ID, v.Name, v.Query, v.Version, v.UpdatedAt.UnixMilli())
}

// DeleteView deletes a view, and the watches of it.
func (tx *Tx) DeleteView(id string) error {
	if err := tx.Notices().DeleteView(id); err != nil {
		return err
	}
	return tx.db.Exec("DELETE FROM views WHERE id = $1", id)
}
