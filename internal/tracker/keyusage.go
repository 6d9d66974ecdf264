package tracker

import (
	"sync"

	"bugslice/internal/store"
)

// keyUsage collects the last uses of keys, so that a request does not wait until its use is stored.
type keyUsage struct {
	mu    sync.Mutex
	byKey map[string]store.KeyUse
}

func (u *keyUsage) record(keyID string, use store.KeyUse) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byKey == nil {
		u.byKey = map[string]store.KeyUse{}
	}
	u.byKey[keyID] = use
}

// drain removes and returns the collected uses by the ids of the keys.
func (u *keyUsage) drain() map[string]store.KeyUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	byKey := u.byKey
	u.byKey = nil
	return byKey
}
