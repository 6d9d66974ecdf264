package store

import (
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// hasMistake selects the slices of which somebody has said that what redaction removed was no secret. The index
// slices_mistaken has the same condition.
const hasMistake = `redaction LIKE '%"mistake":true%'`

// MistakenRedactions returns the counts of redaction of the newest live slices of a workspace that have a mistake, at
// most limit.
func (q Queries) MistakenRedactions(workspaceID string, limit int) ([]api.Redaction, error) {
	return sqldb.List(q.db, scanRedaction, "SELECT redaction FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL AND "+
		hasMistake+" ORDER BY id DESC LIMIT $2", workspaceID, limit)
}

// NewestRedactions returns the counts of redaction of the newest live slices of a workspace, at most limit. A slice of
// which nothing was removed has none.
func (q Queries) NewestRedactions(workspaceID string, limit int) ([]api.Redaction, error) {
	return sqldb.List(q.db, scanRedaction, `SELECT redaction FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL
		ORDER BY workspace_id DESC, id DESC LIMIT $2`, workspaceID, limit)
}

func scanRedaction(r sqldb.Row) (redaction api.Redaction, err error) {
	var text string
	if err := r.Scan(&text); err != nil || text == "" {
		return redaction, err
	}
	return redaction, json.Unmarshal([]byte(text), &redaction)
}
