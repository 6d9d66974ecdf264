package store

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// MetadataFilter selects the slices with one of the values of a key of their metadata.
type MetadataFilter struct {
	Name   string
	Values []string
}

const ofMetadata = "slice_metadata k CROSS JOIN slices s WHERE s.id = k.slice_id AND k"

// indexed returns the filter that the index of metadata serves.
func (m MetadataFilter) indexed() indexedFilter {
	return indexedFilter{ofMetadata, "k.slice_id", []string{"k.slice_id"}, func(p *params) (conditions []string) {
		for _, value := range m.Values {
			conditions = append(conditions, "k.name = "+p.add(m.Name)+" AND k.value = "+p.add(value))
		}
		return conditions
	}}
}

// condition returns the condition that a slice has one of the values.
func (m MetadataFilter) condition(p *params) string {
	return "EXISTS (SELECT 1 FROM slice_metadata t WHERE t.workspace_id = s.workspace_id AND t.name = " + p.add(m.Name) +
		" AND t.value IN " + in(p, m.Values) + " AND t.slice_id = s.id)"
}

// metadataChange is the metadata of a changed slice, by which lists find it.
type metadataChange struct {
	workspaceID string
	values      map[string]string // nil for a deleted slice
	inserted    bool              // the slice is new
}

// UpdateSliceMetadata replaces the metadata by which lists find a slice with its own. The end of the transaction writes it.
func (tx *Tx) UpdateSliceMetadata(s *Slice) { tx.changeMetadata(s, false) }

func (tx *Tx) changeMetadata(s *Slice, inserted bool) {
	if inserted && len(s.Metadata) == 0 {
		return
	}
	if tx.metadata == nil {
		tx.metadata = map[string]metadataChange{}
	}
	c := metadataChange{workspaceID: s.WorkspaceID, inserted: inserted || tx.metadata[s.ID].inserted}
	if s.DeletedAt == nil {
		c.values = maps.Clone(s.Metadata)
	}
	tx.metadata[s.ID] = c
}

// writeMetadata writes the pending changes of metadata by which lists find slices. It locks the rows of their workspaces, in the order
// of their ids, so that the keys which it reads do not change before the commit.
func (tx *Tx) writeMetadata() error {
	changes := tx.metadata
	tx.metadata = nil
	keys := map[string][]string{}
	for _, c := range changes {
		keys[c.workspaceID] = nil
	}
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		var err error
		if keys[id], err = tx.lockMetadataKeys(id); err != nil && !errors.Is(err, ErrNotFound) { // the workspace was deleted
			return err
		}
	}
	var rows metadataRows
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		c := changes[id]
		if !c.inserted {
			if err := tx.db.exec("DELETE FROM slice_metadata WHERE slice_id = $1", id); err != nil {
				return err
			}
		}
		for _, name := range keys[c.workspaceID] {
			if value, ok := c.values[name]; ok {
				rows = append(rows, []string{c.workspaceID, name, value, id})
			}
		}
	}
	return tx.insertMetadata(rows)
}

// metadataRows are rows of slice_metadata: workspace, name, value and slice.
type metadataRows [][]string

// insertMetadata stores rows, some of which may be stored already.
func (tx *Tx) insertMetadata(all metadataRows) error {
	const rowsPerStatement = 100
	for chunk := range slices.Chunk(all, rowsPerStatement) {
		var p params
		rows := make([]string, len(chunk))
		for i, values := range chunk {
			rows[i] = in(&p, values)
		}
		if err := tx.db.exec("INSERT INTO slice_metadata (workspace_id, name, value, slice_id) VALUES "+strings.Join(rows, ", ")+
			" ON CONFLICT DO NOTHING", p.args...); err != nil {
			return err
		}
	}
	return nil
}

// lockMetadataKeys returns the keys of metadata by which the slices of a workspace are filtered, with a row lock on the workspace.
func (tx *Tx) lockMetadataKeys(workspaceID string) (keys []string, err error) {
	text, err := one(tx.db, scanOne[string], "SELECT metadata_keys FROM workspaces WHERE id = $1"+tx.db.engine.lockRow, workspaceID)
	if err != nil {
		return nil, err
	}
	return keys, unpack(text, &keys)
}

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
// of a key that the workspace has no longer. It returns whether the backfill is complete.
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
		return false, tx.db.exec("UPDATE metadata_backfills SET after_id = $3 WHERE workspace_id = $1 AND name = $2", b.WorkspaceID, b.Name, after)
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
			rows = append(rows, []string{b.WorkspaceID, b.Name, value, s.id})
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
