package tracker

import (
	"sync"
	"time"

	"bugslice/internal/store/sources"
)

// sourceCache caches the sources that take reports by their public keys, each for sourceCached. A transaction of a visitor
// reads its source again, so that a pause takes effect on all nodes at once; only what is decided before may be older.
type sourceCache struct {
	mu    sync.Mutex
	byKey map[string]cachedSource
}

type cachedSource struct {
	source sources.Source
	until  time.Time
}

const (
	sourceCached     = 2 * time.Second
	maxCachedSources = 10_000
)

func (c *sourceCache) get(key string, now time.Time) (sources.Source, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.byKey[key]
	return entry.source, ok && now.Before(entry.until)
}

func (c *sourceCache) put(key string, entry cachedSource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	evict(c.byKey, maxCachedSources)
	c.byKey[key] = entry
}

func (c *sourceCache) remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byKey, key)
}
