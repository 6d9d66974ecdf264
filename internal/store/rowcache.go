package store

import (
	"sync"
	"sync/atomic"
)

// rowCache caches what was read of slices, by row and version. The version comes from the database on every request,
// so a cached value is never stale, on any node. Cached values are shared: nobody changes them. A nil cache is empty.
type rowCache[T any] struct {
	mu    sync.RWMutex
	rows  map[int64]cachedRow[T]
	bytes int
	most  int

	hits, misses atomic.Int64
}

// cachedRow is a value of a row at a version, and an estimate of its memory in bytes.
type cachedRow[T any] struct {
	version int64
	bytes   int
	value   T
}

// newRowCache returns a cache that holds values of at most maxBytes together, by their estimates.
func newRowCache[T any](maxBytes int) *rowCache[T] {
	return &rowCache[T]{rows: map[int64]cachedRow[T]{}, most: maxBytes}
}

// get returns the value of a row if it is cached at that version.
func (c *rowCache[T]) get(row, version int64) (value T, ok bool) {
	if c == nil {
		return value, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	cached, ok := c.rows[row]
	if !ok || cached.version != version {
		c.misses.Add(1)
		return value, false
	}
	c.hits.Add(1)
	return cached.value, true
}

// put caches a value instead of one of an earlier version. Beyond its bytes the cache evicts values at random, and
// maybe this one.
func (c *rowCache[T]) put(row, version int64, value T, bytes int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.rows[row]; ok {
		if old.version > version {
			return
		}
		c.bytes -= old.bytes
	}
	c.rows[row] = cachedRow[T]{version, bytes, value}
	c.bytes += bytes
	for evicted, old := range c.rows {
		if c.bytes <= c.most {
			break
		}
		delete(c.rows, evicted)
		c.bytes -= old.bytes
	}
}

// size returns the estimated bytes of the values.
func (c *rowCache[T]) size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.bytes
}
