package tracker

import (
	"context"
	"maps"
	"slices"

	"bugslice/internal/store"
)

// flushUsage stores the times of the last uses of keys. Times that cannot be stored are lost.
func (t *Tracker) flushUsage(ctx context.Context) error {
	usedAt := t.keyUsage.drain()
	if len(usedAt) == 0 {
		return nil
	}
	return systemChange(t, ctx, func(tx *store.Tx) error {
		for _, keyID := range slices.Sorted(maps.Keys(usedAt)) { // keys are locked in the order of their ids
			if err := tx.RecordKeyUse(keyID, usedAt[keyID]); err != nil {
				return err
			}
		}
		return nil
	})
}
