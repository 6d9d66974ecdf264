package httpapi

import (
	"fmt"
	"net/http"
	"sync"

	"bugslice/api"
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

// acquire counts a response, or refuses it when the key has reached its limit. Each acquire that succeeds needs
// one release.
func (c *concurrencyLimit) acquire(w http.ResponseWriter, keyID string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inUse[keyID] >= c.limit {
		w.Header().Set("Retry-After", "5")
		return api.NewProblem(api.CodeRateLimited, fmt.Sprintf("The key has %d %s on this node, and may not have more.", c.limit, c.kind))
	}
	c.inUse[keyID]++
	return nil
}

func (c *concurrencyLimit) release(keyID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inUse[keyID]--; c.inUse[keyID] == 0 {
		delete(c.inUse, keyID)
	}
}
