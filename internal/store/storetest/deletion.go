package storetest

import (
	"bugslice/api"
	"bugslice/internal/store"
)

// most is more slices and records than tests have.
const most = 10_000

// Purge deletes the slices that were marked as deleted before a time, and returns their number.
func Purge(tx *store.Tx, before api.Time) (int, error) {
	ids, err := tx.PurgeableSlices(before, most)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	_, err = tx.PurgeSlices(ids, before, most)
	return len(ids), err
}

// DeleteWorkspace deletes a workspace with everything in it.
func DeleteWorkspace(tx *store.Tx, workspaceID string, at api.Time) error {
	if err := tx.CloseWorkspace(workspaceID, at); err != nil {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = tx.ClearWorkspace(workspaceID, at, most, most); err != nil {
			return err
		}
	}
	return tx.DeleteClearedWorkspace(workspaceID)
}
