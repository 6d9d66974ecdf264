package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
)

// purgeSlices deletes for good some slices whose retention has ended. Before, it detaches their duplicates from them, in steps. It returns
// jobBatch while there may be others.
func (t *Tracker) purgeSlices(tx *store.Tx) (int, error) {
	before := api.At(t.now().Add(-deletedRetention))
	originalID, duplicates, err := tx.LockDuplicatesOfPurgeable(before, jobBatch, detachedAtOnce)
	if err != nil {
		return 0, err
	}
	if originalID == "" {
		return tx.PurgeSlices(before, api.At(t.now().Add(unreferencedRetention)), jobBatch)
	}
	return t.detachSlices(tx, duplicates, goneReference{"duplicateOfId", originalID, func(s *store.Slice) error {
		s.DuplicateOfID = nil
		return tx.UpdateSlice(s)
	}})
}
