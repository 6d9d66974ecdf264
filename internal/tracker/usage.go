package tracker

import (
	"context"
	"maps"
	"slices"

	"bugslice/internal/store"
)

// flushUsage stores what was noted. What cannot be stored is dropped: the next use notes it again.
func (t *Tracker) flushUsage(ctx context.Context) error {
	seen := t.keyUsage.drain()
	if len(seen) == 0 {
		return nil
	}
	return systemChange(t, ctx, func(tx *store.Tx) error {
		for _, key := range slices.Sorted(maps.Keys(seen)) { // the order in which whoever changes several keys locks them
			if err := tx.RecordKeyUse(key, seen[key]); err != nil {
				return err
			}
		}
		return nil
	})
}
