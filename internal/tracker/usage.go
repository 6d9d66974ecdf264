package tracker

import "sync"

// usage collects the last uses of keys or of sessions, so that a request does not wait until its use is stored.
type usage[T any] struct {
	mu   sync.Mutex
	byID map[string]T
}

func newUsage[T any]() *usage[T] { return &usage[T]{byID: map[string]T{}} }

func (u *usage[T]) record(id string, use T) {
	u.mu.Lock()
	u.byID[id] = use
	u.mu.Unlock()
}

// drain removes and returns the collected uses by id.
func (u *usage[T]) drain() map[string]T {
	u.mu.Lock()
	defer u.mu.Unlock()
	byID := u.byID
	u.byID = map[string]T{}
	return byID
}
