package store

import "bugslice/internal/store/sqldb"

// Charge adds bytes to the size of a workspace; negative bytes are freed. NextSequence or Apply writes
// them.
func (tx *Tx) Charge(workspaceID string, bytes int64) {
	if tx.charges == nil {
		tx.charges = map[string]int64{}
	}
	tx.charges[workspaceID] += bytes
}

// PendingCharge returns the bytes that are charged to a workspace and not written yet.
func (tx *Tx) PendingCharge(workspaceID string) int64 { return tx.charges[workspaceID] }

// StoredBytes returns the size of a workspace.
func (q Queries) StoredBytes(workspaceID string) (int64, error) {
	return sqldb.One(q.db, sqldb.ScanOne[int64], "SELECT stored FROM workspaces WHERE id = $1", workspaceID)
}

// MeasureStored returns the size of each workspace from its records. It reads all of them.
func (q Queries) MeasureStored() (map[string]int64, error) {
	type workspace struct {
		id    string
		bytes int64
	}
	rows, err := sqldb.List(q.db, func(r sqldb.Row) (w workspace, err error) { return w, r.Scan(&w.id, &w.bytes) },
		"SELECT workspace_id, CAST(sum(bytes) AS BIGINT) FROM ("+recordSizes+") AS r GROUP BY workspace_id")
	all := make(map[string]int64, len(rows))
	for _, w := range rows {
		all[w.id] = w.bytes
	}
	return all, err
}

// RecountStored sets the size of each workspace from its records, and drops the charges that are not written. It
// locks the workspaces before it reads the records.
func (tx *Tx) RecountStored() error {
	if err := tx.ApplySlices(); err != nil {
		return err
	}
	tx.charges, tx.counters = nil, nil
	if err := tx.db.Exec("UPDATE workspaces SET stored = 0"); err != nil {
		return err
	}
	return tx.db.Exec("UPDATE workspaces SET stored = u.bytes FROM (SELECT workspace_id, CAST(sum(bytes) AS BIGINT) AS bytes FROM (" +
		recordSizes + ") AS r GROUP BY workspace_id) AS u WHERE u.workspace_id = workspaces.id")
}

// recordSizes is a query of the size of each record, by its workspace.
var recordSizes = "SELECT workspace_id, " + members.size() + ` AS bytes FROM slices
	UNION ALL SELECT s.workspace_id, 256 + octet_length(c.body) + octet_length(c.via) FROM comments c JOIN slices s ON s.id = c.slice_id
	UNION ALL SELECT workspace_id, 256 + stored FROM attachments
	UNION ALL SELECT s.workspace_id, 256 + octet_length(o.via) + octet_length(o.environment) + octet_length(o.metadata)
		+ COALESCE(octet_length(o.external_id), 0) FROM occurrences o JOIN slices s ON s.id = o.slice_id
	UNION ALL SELECT workspace_id, 256 + octet_length(data) FROM events WHERE workspace_id IS NOT NULL
	UNION ALL SELECT workspace_id, 1024 FROM deliveries
	UNION ALL SELECT workspace_id, 256 + octet_length(answer) FROM idempotency_keys WHERE workspace_id IS NOT NULL`
