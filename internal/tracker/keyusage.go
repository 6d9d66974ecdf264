package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
	"sync"
	"time"
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
