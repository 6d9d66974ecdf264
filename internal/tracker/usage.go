package tracker

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// keyUsage collects when keys were used, so that requests do not wait for its writing.
type keyUsage struct {
	mu   sync.Mutex
	seen map[string]api.Time
}

// record remembers a use unless one within the last minute is stored already.
func (u *keyUsage) record(k store.Key, now api.Time) {
	if k.LastUsedAt != nil && now.Sub(k.LastUsedAt.Time) < time.Minute {
		return
	}
	u.mu.Lock()
	u.seen[k.ID] = now
	u.mu.Unlock()
}

func (u *keyUsage) drain() map[string]api.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	seen := u.seen
	u.seen = map[string]api.Time{}
	return seen
}

// flushUsage stores what was noted. What cannot be stored is dropped: the next use notes it again.
func (t *Tracker) flushUsage(ctx context.Context) error {
	seen := t.keyUsage.drain()
	if len(seen) == 0 {
		return nil
	}
	return task(t, ctx, func(tx *store.Tx) error {
		for _, key := range slices.Sorted(maps.Keys(seen)) { // the order in which whoever changes several keys locks them
			if err := tx.TouchKey(key, seen[key]); err != nil {
				return err
			}
		}
		return nil
	})
}
