package tracker

import (
	"context"
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

// SourceByKey returns the source that takes reports with a public key. access.ErrNoSource is the same for an unknown, a
// paused and a deleted one. It may be as old as sourceCached.
func (t *Tracker) SourceByKey(ctx context.Context, key string) (sources.Source, error) {
	now := t.now()
	if s, ok := t.sourceCache.get(key, now); ok {
		return s, nil
	}
	s, err := t.access.SourceByKey(ctx, key)
	if err == nil {
		t.sourceCache.put(key, cachedSource{s, now.Add(sourceCached)})
	}
	return s, err
}
