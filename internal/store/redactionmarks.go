package store

import (
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// hasMistake selects the slices of which somebody has said that what redaction removed was no secret. The index
// slices_mistaken has the same condition.
const hasMistake = `redaction LIKE '%"mistake":true%'`

// Redactions returns the counts of redaction of the newest live slices of a workspace, and of the newest that have a
// mistake, at most so many of each. A slice of which nothing was removed has none.
func (q Queries) Redactions(workspaceID string, maxNewest, maxMistaken int) (newest, mistaken []api.Redaction, err error) {
	const redactions = "SELECT redaction FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL "
	newest, err = sqldb.List(q.db, scanRedaction, redactions+"ORDER BY workspace_id DESC, id DESC LIMIT $2",
		workspaceID, maxNewest)
	if err != nil {
		return nil, nil, err
	}
	mistaken, err = sqldb.List(q.db, scanRedaction, redactions+"AND "+hasMistake+" ORDER BY id DESC LIMIT $2",
		workspaceID, maxMistaken)
	return newest, mistaken, err
}

func scanRedaction(r sqldb.Row) (redaction api.Redaction, err error) {
	var text string
	if err := r.Scan(&text); err != nil || text == "" {
		return redaction, err
	}
	return redaction, json.Unmarshal([]byte(text), &redaction)
}
