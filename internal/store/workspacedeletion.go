package store

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// DeletionTime returns the time at which a workspace is deleted, or nil if no deletion is planned.
func (q Queries) DeletionTime(workspaceID string) (*api.Time, error) {
	at, err := sqldb.One(q.db, sqldb.ScanOne[*int64], "SELECT delete_at FROM workspaces WHERE id = $1", workspaceID)
	return sqldb.TimeAt(at), err
}

// SetDeletionTime stores when a workspace is deleted; nil for never.
func (tx *Tx) SetDeletionTime(workspaceID string, at *api.Time) error {
	return tx.db.Exec("UPDATE workspaces SET delete_at = $2 WHERE id = $1", workspaceID, sqldb.Millis(at))
}

// DueDeletions returns the workspaces that are to be deleted.
func (q Queries) DueDeletions(now api.Time) ([]Workspace, error) {
	return sqldb.List(q.db, scanWorkspace,
		"SELECT "+workspaceColumns+" FROM workspaces w WHERE w.delete_at <= $1 ORDER BY w.id", now.UnixMilli())
}

// CloseWorkspace ends the memberships, the service tokens, the webhooks, the sources and the shares of a workspace, so that nobody
// reads or changes it.
func (tx *Tx) CloseWorkspace(id string, at api.Time) error {
	for _, text := range []string{
		"UPDATE api_keys SET revoked_at = $2 WHERE workspace_id = $1 AND revoked_at IS NULL",
		"UPDATE webhooks SET deleted_at = $2, enabled = 0 WHERE workspace_id = $1 AND deleted_at IS NULL",
		"UPDATE sources SET deleted_at = $2 WHERE workspace_id = $1 AND deleted_at IS NULL",
	} {
		if err := tx.db.Exec(text, id, at.UnixMilli()); err != nil {
			return err
		}
	}
	return tx.execEach(id, "DELETE FROM memberships WHERE workspace_id = $1",
		"DELETE FROM shares WHERE workspace_id = $1")
}

// clearedTables are the rows of a workspace that ClearWorkspace deletes after its slices: a table, its primary key,
// the condition of the rows, and an order that an index has.
var clearedTables = []struct{ name, key, where, order string }{
	{"events", "id", "workspace_id = $1", "sequence"},
	{"slice_statistics", "workspace_id, kind, span, start, value", "workspace_id = $1", "kind, span, start, value"},
	{"notices", "id", "workspace_id = $1", "id"},
	{"watches", "user_id, subject_id", "workspace_id = $1", "user_id, subject_id"},
	{"releases", "workspace_id, name", "workspace_id = $1", "name"},
	{"test_days", "workspace_id, level, id, main, day", "workspace_id = $1", "level, id, main, day"},
	{"tests", "workspace_id, level, id, main", "workspace_id = $1", "level, id, main"},
	{"test_runs", "workspace_id, run", "workspace_id = $1", "run"},
	{"deliveries", "id", "webhook_id IN (SELECT id FROM webhooks WHERE workspace_id = $1)", "id"},
	{"idempotency_keys", "principal, operation, key", "workspace_id = $1", "created_at"},
	{"submission_files", "submission_id, blob",
		"submission_id IN (SELECT id FROM submissions WHERE workspace_id = $1)", "submission_id, blob"},
	{"submissions", "id", "workspace_id = $1", "id"},
	{"source_days", "source_id, day, outcome", "source_id IN (SELECT id FROM sources WHERE workspace_id = $1)",
		"source_id, day, outcome"},
	{"key_refusals", "key_id, hour, code", "key_id IN (SELECT id FROM api_keys WHERE workspace_id = $1)",
		"key_id, hour, code"},
}

// ClearWorkspace deletes some of up to limit slices of a closed workspace, with what belongs to them: at most records
// rows in a transaction, and after the last slice as many rows of the workspace. It reports whether more may remain.
func (tx *Tx) ClearWorkspace(id string, deleteBlobsAt api.Time, limit, records int) (bool, error) {
	if err := errors.Join(tx.ApplySlices(), tx.writeStatistics()); err != nil {
		return false, err
	}
	all, err := sqldb.List(tx.db, scanLocked, "SELECT "+sliceColumns+
		" FROM slices s WHERE s.workspace_id = $1 ORDER BY s.number LIMIT $2"+
		tx.db.Engine.LockRow, id, limit)
	if err != nil {
		return false, err
	}
	if len(all) > 0 {
		if marked, err := tx.markDeleted(all, deleteBlobsAt); err != nil || marked {
			return true, err
		}
		_, err := tx.purge(all, deleteBlobsAt, records)
		return true, err
	}
	for _, t := range clearedTables {
		n, err := tx.db.ExecCount("DELETE FROM "+t.name+" WHERE ("+t.key+") IN (SELECT "+t.key+" FROM "+t.name+
			" WHERE "+t.where+
			" ORDER BY "+t.order+" LIMIT $2)", id, records)
		if err != nil || n > 0 {
			return true, err
		}
	}
	return false, nil
}

// markDeleted marks live slices as deleted, so that lists find none of them by what is deleted first. It reports
// whether there are any. Their statistics are those of the workspace, and go with it.
func (tx *Tx) markDeleted(all []Slice, at api.Time) (marked bool, err error) {
	for _, s := range all {
		if s.DeletedAt != nil {
			continue
		}
		marked, s.DeletedAt = true, &at
		counted := len(tx.recounts)
		if err := tx.UpdateSlice(&s); err != nil {
			return true, err
		}
		tx.recounts = tx.recounts[:counted]
	}
	return marked, nil
}

// DeleteClearedWorkspace deletes a workspace that ClearWorkspace has cleared.
func (tx *Tx) DeleteClearedWorkspace(id string) error {
	tx.charges = nil // of the workspace
	return tx.execEach(id,
		"DELETE FROM webhook_secrets WHERE webhook_id IN (SELECT id FROM webhooks WHERE workspace_id = $1)",
		"DELETE FROM webhooks WHERE workspace_id = $1",
		"DELETE FROM source_secrets WHERE source_id IN (SELECT id FROM sources WHERE workspace_id = $1)",
		"DELETE FROM sources WHERE workspace_id = $1",
		"DELETE FROM oauth_grants WHERE key_id IN (SELECT id FROM api_keys WHERE workspace_id = $1)",
		"DELETE FROM key_tokens WHERE key_id IN (SELECT id FROM api_keys WHERE workspace_id = $1)",
		"DELETE FROM api_keys WHERE workspace_id = $1",
		"DELETE FROM spaces WHERE workspace_id = $1",
		"DELETE FROM memberships WHERE workspace_id = $1",
		"DELETE FROM former_assignees WHERE workspace_id = $1",
		"DELETE FROM notice_positions WHERE workspace_id = $1",
		"DELETE FROM view_matches WHERE view_id IN (SELECT id FROM views WHERE workspace_id = $1)",
		"DELETE FROM views WHERE workspace_id = $1",
		"DELETE FROM workspace_keys WHERE workspace_id = $1",
		"DELETE FROM workspaces WHERE id = $1",
	)
}
