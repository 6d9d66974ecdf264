package store

import "bugslice/api"

// LockDuplicatesOfPurgeable returns at most limit duplicates, deleted or not, of one of the first slices that PurgeSlices deletes, by id,
// with row locks and the id of the original. It returns an empty id when none of these has a duplicate.
func (tx *Tx) LockDuplicatesOfPurgeable(before api.Time, first, limit int) (originalID string, all []Slice, err error) {
	ids, err := list(tx.db, scanOne[string], `SELECT s.duplicate_of_id FROM slices s
		WHERE s.duplicate_of_id IN (SELECT o.id FROM slices o WHERE o.deleted_at < $1 ORDER BY o.id LIMIT $2)
		ORDER BY s.duplicate_of_id LIMIT 1`, before.UnixMilli(), first)
	if err != nil || len(ids) == 0 {
		return "", nil, err
	}
	all, err = list(tx.db, scanLocked, "SELECT "+sliceColumns+" FROM slices s WHERE s.duplicate_of_id = $1 ORDER BY s.id LIMIT $2"+
		tx.db.engine.lockRow, ids[0], limit)
	return ids[0], all, err
}

// PurgeSlices deletes up to limit slices that were marked as deleted before a time, with their comments,
// attachments, occurrences and search terms, and replaces the content of their events. The bytes of their files are deleted at
// deleteBlobsAt. It returns the number of slices.
func (tx *Tx) PurgeSlices(before, deleteBlobsAt api.Time, limit int) (int, error) {
	purged, err := list(tx.db, scanSlice, "SELECT "+sliceColumns+" FROM slices s WHERE s.deleted_at < $1 ORDER BY s.id LIMIT $2"+
		tx.db.engine.lockRow, before.UnixMilli(), limit)
	if err != nil {
		return 0, err
	}
	return len(purged), tx.purge(purged, deleteBlobsAt)
}

// purge deletes slices with what belongs to them.
func (tx *Tx) purge(purged []Slice, deleteBlobsAt api.Time) error {
	for _, s := range purged {
		if err := tx.unreferenceBlobs("a.slice_id = $1", s.ID, deleteBlobsAt); err != nil {
			return err
		}
		bytes, err := tx.purgeableBytes(s)
		if err != nil {
			return err
		}
		tx.Charge(s.WorkspaceID, -bytes)
		if err := tx.execEach(s.ID,
			"DELETE FROM slice_search WHERE rowid IN (SELECT row FROM slices WHERE id = $1)",
			"DELETE FROM slice_labels WHERE slice_id = $1",
			"DELETE FROM slice_metadata WHERE slice_id = $1",
			"DELETE FROM mentions WHERE slice_id = $1",
			"UPDATE slices SET duplicate_of_id = NULL, version = version + 1 WHERE duplicate_of_id = $1",
			`UPDATE events SET data = '`+purgedEvent+`', client_address = NULL WHERE subject_id = $1`,
			"DELETE FROM shares WHERE slice_id = $1",
			"DELETE FROM comments WHERE slice_id = $1",
			"DELETE FROM occurrences WHERE slice_id = $1",
			"DELETE FROM attachments WHERE slice_id = $1",
			"DELETE FROM slices WHERE id = $1",
		); err != nil {
			return err
		}
	}
	return nil
}

// purgedEvent replaces the content of events about purged slices.
const purgedEvent = `{"purged":true}`

// purgeableBytes returns the size of a slice with its comments, its attachments, its occurrences and the content of its events.
func (q Queries) purgeableBytes(s Slice) (int64, error) {
	n, err := one(q.db, scanOne[int64], `SELECT CAST(COALESCE(sum(bytes), 0) AS BIGINT) FROM (
			SELECT 256 + octet_length(body) AS bytes FROM comments WHERE slice_id = $1
			UNION ALL SELECT 256 + stored FROM attachments WHERE slice_id = $1
			UNION ALL SELECT `+occurrenceSize+` FROM occurrences WHERE slice_id = $1
			UNION ALL SELECT octet_length(data) - $2 FROM events WHERE subject_id = $1 AND workspace_id IS NOT NULL) AS r`,
		s.ID, len(purgedEvent))
	return s.bytes + n, err
}

// DeleteWorkspace deletes a workspace with everything in it. The bytes of its files are deleted at deleteBlobsAt.
func (tx *Tx) DeleteWorkspace(id string, deleteBlobsAt api.Time) error {
	const slices = " IN (SELECT id FROM slices WHERE workspace_id = $1)"
	if err := tx.unreferenceBlobs("a.slice_id"+slices, id, deleteBlobsAt); err != nil {
		return err
	}
	return tx.execEach(id,
		"DELETE FROM slice_search WHERE rowid IN (SELECT row FROM slices WHERE workspace_id = $1)",
		"DELETE FROM slice_labels WHERE slice_id"+slices,
		"DELETE FROM live_labels WHERE workspace_id = $1",
		"DELETE FROM live_facts WHERE workspace_id = $1",
		"DELETE FROM recurring_slices WHERE workspace_id = $1",
		"DELETE FROM slice_metadata WHERE workspace_id = $1",
		"DELETE FROM metadata_backfills WHERE workspace_id = $1",
		"DELETE FROM mentions WHERE workspace_id = $1",
		"DELETE FROM shares WHERE slice_id"+slices,
		"DELETE FROM comments WHERE slice_id"+slices,
		"DELETE FROM occurrences WHERE slice_id"+slices,
		"DELETE FROM attachments WHERE slice_id"+slices,
		"DELETE FROM slices WHERE workspace_id = $1",
		"DELETE FROM slice_statistics WHERE workspace_id = $1",
		"DELETE FROM spaces WHERE workspace_id = $1",
		"DELETE FROM events WHERE workspace_id = $1",
		"DELETE FROM memberships WHERE workspace_id = $1",
		"DELETE FROM former_assignees WHERE workspace_id = $1",
		"DELETE FROM views WHERE workspace_id = $1",
		"DELETE FROM workspace_keys WHERE workspace_id = $1",
		"DELETE FROM workspaces WHERE id = $1",
	)
}

// execEach runs statements about one id.
func (tx *Tx) execEach(id string, statements ...string) error {
	for _, text := range statements {
		if err := tx.db.exec(text, id); err != nil {
			return err
		}
	}
	return nil
}
