package tracker

import (
	"container/list"
	"sync"

	"golang.org/x/sync/singleflight"
)

// maxCacheBytes is the approximate memory of a derivedCache. An entry with more than maxEntryBytes is not cached.
const (
	maxCacheBytes = 32 << 20
	maxEntryBytes = maxCacheBytes / 8
)

// derivedCache is an LRU cache of values computed from the evidence of attachments, which never changes: an index, the
// rows of a page, the lines of a report. A key identifies the operation, its parameters and the attachments. The rights
// of the caller must be checked before a lookup. Values are shared and must not be modified.
type derivedCache struct {
	mu       sync.Mutex
	recent   list.List // of *cacheEntry, the most recently used first
	entries  map[string]*list.Element
	bytes    int
	inFlight singleflight.Group
}

type cacheEntry struct {
	key   string
	value any
	bytes int
}

func newDerivedCache() *derivedCache { return &derivedCache{entries: map[string]*list.Element{}} }

func (d *derivedCache) get(key string) (any, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.entries[key]
	if !ok {
		return nil, false
	}
	d.recent.MoveToFront(e)
	return e.Value.(*cacheEntry).value, true
}

// put adds an entry, unless its key is cached, and evicts the least recently used ones.
func (d *derivedCache) put(entry *cacheEntry) {
	entry.bytes += len(entry.key) + 256
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.entries[entry.key]; ok || entry.bytes > maxEntryBytes {
		return
	}
	d.entries[entry.key] = d.recent.PushFront(entry)
	for d.bytes += entry.bytes; d.bytes > maxCacheBytes; {
		evicted := d.recent.Remove(d.recent.Back()).(*cacheEntry)
		delete(d.entries, evicted.key)
		d.bytes -= evicted.bytes
	}
}

// cached returns the value of a key. When it is not in the cache, compute computes it and returns its size in bytes.
// Concurrent callers wait for one computation. An error is not cached.
func cached[T any](d *derivedCache, key string, compute func() (value T, bytes int, err error)) (T, error) {
	if v, ok := d.get(key); ok {
		return v.(T), nil
	}
	v, err, _ := d.inFlight.Do(key, func() (any, error) {
		if v, ok := d.get(key); ok {
			return v, nil
		}
		value, bytes, err := compute()
		if err == nil {
			d.put(&cacheEntry{key: key, value: value, bytes: bytes})
		}
		return value, err
	})
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}
