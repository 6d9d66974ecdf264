package httpapi

import (
	"fmt"
	"net/http"
	"sync"

	"bugslice/api"
)

// concurrent bounds how many answers of a sort a key may have under way on a node.
type concurrent struct {
	most int
	what string
	mu   sync.Mutex
	open map[string]int
}

// begin counts an answer, or refuses it when the key has as many as it may have. end ends it.
func (c *concurrent) begin(w http.ResponseWriter, keyID string) (end func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[keyID] >= c.most {
		w.Header().Set("Retry-After", "5")
		return nil, api.Refuse(api.CodeRateLimited, fmt.Sprintf("The key has %d %s on this node, which is all it may have.", c.most, c.what))
	}
	if c.open == nil {
		c.open = map[string]int{}
	}
	c.open[keyID]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[keyID]--; c.open[keyID] == 0 {
			delete(c.open, keyID)
		}
	}, nil
}
