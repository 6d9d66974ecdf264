package tracker

import (
	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

const (
	purgedAtOnce  = 20  // slices of a transaction that deletes them; other writes wait for it, on SQLite all
	recordsAtOnce = 500 // of these slices, which it deletes as well
)

// purgeSlices deletes for good some slices whose retention has ended, in steps. Before, it detaches their duplicates
// from them, in steps, too. It waits for as long as another node, whose clock is behind, may restore them. It returns
// jobBatch while there may be others.
func (t *Tracker) purgeSlices(tx *access.Tx) (int, error) {
	ids, err := tx.PurgeableSlices(api.At(t.now().Add(-deletedRetention-maxClockSkew)), purgedAtOnce)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	originalID, duplicates, err := tx.LockDuplicates(ids, detachedAtOnce)
	if err != nil {
		return 0, err
	}
	if originalID == "" {
		_, err := tx.PurgeSlices(ids, api.At(t.now().Add(unreferencedRetention)), recordsAtOnce)
		return jobBatch, err
	}
	return t.detachSlices(tx, duplicates, goneReference{"duplicateOfId", originalID, func(s *store.Slice) error {
		s.DuplicateOfID = nil
		return tx.UpdateSlice(s)
	}})
}
