package store

import (
	"errors"
	"slices"
)

// MetadataKeys returns the keys of metadata by which the slices of workspaces are filtered, for each workspace that has some.
func (q Queries) MetadataKeys(workspaceIDs []string) (map[string][]string, error) {
	all := map[string][]string{}
	for chunk := range slices.Chunk(workspaceIDs, scansPerQuery) {
		var p params
		rows, err := list(q.db, scanMetadataKeys, "SELECT id, metadata_keys FROM workspaces WHERE id IN "+in(&p, chunk)+
			" AND metadata_keys <> ''", p.args...)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.workspaceID] = r.keys
		}
	}
	return all, nil
}

type metadataKeys struct {
	workspaceID string
	keys        []string
}

func scanMetadataKeys(r row) (k metadataKeys, err error) {
	var text string
	if err = r.Scan(&k.workspaceID, &text); err == nil {
		err = unpack(text, &k.keys)
	}
	return k, err
}

// MetadataBackfill is a key of metadata whose values are not all in the index of metadata yet, or not all removed from it.
type MetadataBackfill struct{ WorkspaceID, Name string }

// MetadataBackfills returns the keys whose backfill is not complete.
func (q Queries) MetadataBackfills() ([]MetadataBackfill, error) {
	return list(q.db, func(r row) (b MetadataBackfill, err error) { return b, r.Scan(&b.WorkspaceID, &b.Name) },
		"SELECT workspace_id, name FROM metadata_backfills ORDER BY workspace_id, name")
}

// BeginMetadataBackfills stores that the values of keys must be added to the index of metadata or removed from it, from the first slice
// on. The row of the workspace is locked.
func (tx *Tx) BeginMetadataBackfills(workspaceID string, names []string) error {
	for _, name := range names {
		if err := tx.db.exec(`INSERT INTO metadata_backfills (workspace_id, name, after_id) VALUES ($1, $2, '')
			ON CONFLICT (workspace_id, name) DO UPDATE SET after_id = ''`, workspaceID, name); err != nil {
			return err
		}
	}
	return nil
}

// AdvanceMetadataBackfill adds the values that at most limit slices have for a key of their workspace, or removes at most limit values
// of a key that the workspace has no longer. It reports whether the backfill is complete.
func (tx *Tx) AdvanceMetadataBackfill(b MetadataBackfill, limit int) (complete bool, err error) {
	keys, err := tx.lockMetadataKeys(b.WorkspaceID)
	if errors.Is(err, ErrNotFound) { // the workspace was deleted
		return true, nil
	}
	if err != nil {
		return false, err
	}
	after, err := one(tx.db, scanOne[string], "SELECT after_id FROM metadata_backfills WHERE workspace_id = $1 AND name = $2",
		b.WorkspaceID, b.Name)
	if errors.Is(err, ErrNotFound) { // another node has completed it
		return true, nil
	}
	if err != nil {
		return false, err
	}
	var n int
	if slices.Contains(keys, b.Name) {
		after, n, err = tx.addMetadata(b, after, limit)
	} else {
		var removed int64
		removed, err = tx.db.execCount(`DELETE FROM slice_metadata WHERE (workspace_id, name, value, slice_id) IN (
			SELECT workspace_id, name, value, slice_id FROM slice_metadata WHERE workspace_id = $1 AND name = $2 LIMIT $3)`,
			b.WorkspaceID, b.Name, limit)
		n = int(removed)
	}
	if err != nil {
		return false, err
	}
	if n == limit {
		return false, tx.db.exec("UPDATE metadata_backfills SET after_id = $3 WHERE workspace_id = $1 AND name = $2",
			b.WorkspaceID, b.Name, after)
	}
	return true, tx.db.exec("DELETE FROM metadata_backfills WHERE workspace_id = $1 AND name = $2", b.WorkspaceID, b.Name)
}

// addMetadata adds the values of a key of at most limit slices after one. It returns the last of them, and their number.
func (tx *Tx) addMetadata(b MetadataBackfill, after string, limit int) (last string, n int, err error) {
	type stored struct{ id, metadata string }
	all, err := list(tx.db, func(r row) (s stored, err error) { return s, r.Scan(&s.id, &s.metadata) },
		`SELECT s.id, s.metadata FROM slices s WHERE s.workspace_id = $1 AND s.deleted_at IS NULL AND s.id > $2
		ORDER BY s.id LIMIT $3`, b.WorkspaceID, after, limit)
	if err != nil {
		return after, 0, err
	}
	var rows metadataRows
	for _, s := range all {
		var metadata map[string]string
		if err := unpack(s.metadata, &metadata); err != nil {
			return after, 0, err
		}
		if value, ok := metadata[b.Name]; ok {
			rows = append(rows, []any{b.WorkspaceID, b.Name, value, s.id})
		}
		after = s.id
	}
	return after, len(all), tx.insertMetadata(rows)
}

// beginAllMetadataBackfills begins the backfill of each key of each workspace.
func (tx *Tx) beginAllMetadataBackfills() error {
	return tx.forEachWorkspace(func(workspaceID string) error {
		keys, err := tx.lockMetadataKeys(workspaceID)
		if err != nil {
			return err
		}
		return tx.BeginMetadataBackfills(workspaceID, keys)
	})
}
