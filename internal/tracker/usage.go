package tracker

import (
	"bugslice/api"
	"sync"
	"time"
)

// usage collects the times of the last uses of keys or sessions, so that a request does not wait until its use is stored.
type usage struct {
	mu     sync.Mutex
	usedAt map[string]api.Time // by id
}

func newUsage() *usage { return &usage{usedAt: map[string]api.Time{}} }

// record adds a use, unless one within the last minute is already stored.
func (u *usage) record(id string, stored *api.Time, now api.Time) {
	if stored != nil && now.Sub(stored.Time) < time.Minute {
		return
	}
	u.mu.Lock()
	u.usedAt[id] = now
	u.mu.Unlock()
}

// drain removes and returns the collected times by id.
func (u *usage) drain() map[string]api.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	usedAt := u.usedAt
	u.usedAt = map[string]api.Time{}
	return usedAt
}
