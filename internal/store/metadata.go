package store

import (
	"errors"
	"maps"
	"slices"
)

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
				rows = append(rows, []any{c.workspaceID, name, value, id})
			}
		}
	}
	return tx.insertMetadata(rows)
}

// metadataRows are rows of slice_metadata: workspace, name, value and slice.
type metadataRows [][]any

// insertMetadata stores rows, some of which may be stored already.
func (tx *Tx) insertMetadata(all metadataRows) error {
	_, err := tx.db.insert("slice_metadata", "workspace_id TEXT, name TEXT, value TEXT, slice_id TEXT", all, "ON CONFLICT DO NOTHING")
	return err
}

// lockMetadataKeys returns the keys of metadata by which the slices of a workspace are filtered, with a row lock on the workspace.
func (tx *Tx) lockMetadataKeys(workspaceID string) (keys []string, err error) {
	text, err := one(tx.db, scanOne[string], "SELECT metadata_keys FROM workspaces WHERE id = $1"+tx.db.engine.lockRow, workspaceID)
	if err != nil {
		return nil, err
	}
	return keys, unpack(text, &keys)
}
