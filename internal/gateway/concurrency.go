package gateway

import (
	"fmt"
	"sync"
	"time"
)

// concurrencyLimit bounds how many responses of a kind a key may have in progress on a node.
type concurrencyLimit struct {
	limit int
	kind  string // as the error message names it
	mu    sync.Mutex
	inUse map[string]int // by key
}

func newConcurrencyLimit(limit int, kind string) *concurrencyLimit {
	return &concurrencyLimit{limit: limit, kind: kind, inUse: map[string]int{}}
}

// acquire counts a response until release is called, or refuses it when the key has reached its limit.
func (c *concurrencyLimit) acquire(keyID string) (release func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inUse[keyID] >= c.limit {
		return nil, rateLimited(5*time.Second,
			fmt.Sprintf("The key has %d %s on this node, and may not have more.", c.limit, c.kind))
	}
	c.inUse[keyID]++
	return func() { c.release(keyID) }, nil
}

func (c *concurrencyLimit) release(keyID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inUse[keyID]--; c.inUse[keyID] == 0 {
		delete(c.inUse, keyID)
	}
}
