package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
	"sync"
	"time"
)

// keyUsage collects the times of the last uses of keys, so that a request does not wait until its use is stored.
type keyUsage struct {
	mu     sync.Mutex
	usedAt map[string]api.Time
}

// record adds a use, unless one within the last minute is already stored.
func (u *keyUsage) record(k store.Key, now api.Time) {
	if k.LastUsedAt != nil && now.Sub(k.LastUsedAt.Time) < time.Minute {
		return
	}
	u.mu.Lock()
	u.usedAt[k.ID] = now
	u.mu.Unlock()
}

// drain removes and returns the collected times by the ids of the keys.
func (u *keyUsage) drain() map[string]api.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	usedAt := u.usedAt
	u.usedAt = map[string]api.Time{}
	return usedAt
}
