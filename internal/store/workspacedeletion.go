package store

import "bugslice/api"

// DeletionTime returns when a workspace is deleted; nil for one that stays.
func (q Queries) DeletionTime(workspaceID string) (*api.Time, error) {
	at, err := one(q.db, scanOne[*int64], "SELECT delete_at FROM workspaces WHERE id = $1", workspaceID)
	return timeAt(at), err
}

// SetDeletionTime stores when a workspace is deleted; nil for never.
func (tx *Tx) SetDeletionTime(workspaceID string, at *api.Time) error {
	return tx.db.exec("UPDATE workspaces SET delete_at = $2 WHERE id = $1", workspaceID, millis(at))
}

// DueDeletions returns the workspaces that are to be deleted.
func (q Queries) DueDeletions(now api.Time) ([]Workspace, error) {
	return list(q.db, scanWorkspace, "SELECT "+workspaceColumns+" FROM workspaces w WHERE w.delete_at <= $1 ORDER BY w.id", now.UnixMilli())
}

// CloseWorkspace ends the memberships, the service tokens, the webhooks and the shares of a workspace, so that nobody reads or
// changes it.
func (tx *Tx) CloseWorkspace(id string, at api.Time) error {
	for _, text := range []string{
		"UPDATE api_keys SET revoked_at = $2 WHERE workspace_id = $1 AND revoked_at IS NULL",
		"UPDATE webhooks SET deleted_at = $2, enabled = 0 WHERE workspace_id = $1 AND deleted_at IS NULL",
	} {
		if err := tx.db.exec(text, id, at.UnixMilli()); err != nil {
			return err
		}
	}
	return tx.execEach(id, "DELETE FROM memberships WHERE workspace_id = $1", "DELETE FROM shares WHERE workspace_id = $1")
}

// ClearWorkspace deletes up to limit slices of a closed workspace, and as many of its events, deliveries and stored responses. It
// reports whether more remain.
func (tx *Tx) ClearWorkspace(id string, deleteBlobsAt api.Time, limit int) (bool, error) {
	all, err := list(tx.db, scanSlice, "SELECT "+sliceColumns+" FROM slices s WHERE s.workspace_id = $1 ORDER BY s.id LIMIT $2"+
		tx.db.engine.lockRow, id, limit)
	if err != nil {
		return false, err
	}
	if err := tx.purge(all, deleteBlobsAt); err != nil {
		return false, err
	}
	more := len(all) == limit
	for _, text := range []string{
		"DELETE FROM events WHERE id IN (SELECT id FROM events WHERE workspace_id = $1 LIMIT $2)",
		"DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE workspace_id = $1 LIMIT $2)",
		`DELETE FROM idempotency_keys WHERE (principal, operation, key) IN
			(SELECT principal, operation, key FROM idempotency_keys WHERE workspace_id = $1 LIMIT $2)`,
	} {
		n, err := tx.db.execCount(text, id, limit)
		if err != nil {
			return false, err
		}
		more = more || n == int64(limit)
	}
	return more, nil
}

// DeleteClearedWorkspace deletes a workspace that ClearWorkspace has cleared.
func (tx *Tx) DeleteClearedWorkspace(id string, deleteBlobsAt api.Time) error {
	tx.charges = nil // of the workspace
	const keys = " IN (SELECT id FROM api_keys WHERE workspace_id = $1)"
	if err := tx.execEach(id,
		"DELETE FROM webhook_secrets WHERE webhook_id IN (SELECT id FROM webhooks WHERE workspace_id = $1)",
		"DELETE FROM webhooks WHERE workspace_id = $1",
		"DELETE FROM key_refusals WHERE key_id"+keys,
		"DELETE FROM key_tokens WHERE key_id"+keys,
		"DELETE FROM api_keys WHERE workspace_id = $1",
	); err != nil {
		return err
	}
	return tx.DeleteWorkspace(id, deleteBlobsAt)
}
