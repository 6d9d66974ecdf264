package tracker

import (
	"container/list"
	"sync"

	"golang.org/x/sync/singleflight"
)

// maxCacheBytes is about as much memory as results that are made from evidence take, and largestDerived
// as much as one of them may take to be kept.
const (
	maxCacheBytes = 32 << 20
	maxEntryBytes = maxCacheBytes / 8
)

// derivedCache caches what is made from the evidence of attachments, which never changes: an index, the
// rows of a page, what a report shows of a set. A key names the operation, its parameters and the
// attachments. Nobody's rights are part of it: they are checked before. What it holds is shared and
// read only.
type derivedCache struct {
	mu       sync.Mutex
	recent   list.List // of *result, the latest used first
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

func (d *derivedCache) put(r *cacheEntry) {
	r.bytes += len(r.key) + 256
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.entries[r.key]; ok || r.bytes > maxEntryBytes {
		return
	}
	d.entries[r.key] = d.recent.PushFront(r)
	for d.bytes += r.bytes; d.bytes > maxCacheBytes; {
		last := d.recent.Remove(d.recent.Back()).(*cacheEntry)
		delete(d.entries, last.key)
		d.bytes -= last.bytes
	}
}

// cached returns the result under a key, which make makes, with its weight in bytes, when it is not
// there. While it is being made, others who ask for it wait. An error is not kept.
func cached[T any](d *derivedCache, key string, make func() (value T, weight int, err error)) (T, error) {
	if v, ok := d.get(key); ok {
		return v.(T), nil
	}
	v, err, _ := d.inFlight.Do(key, func() (any, error) {
		if v, ok := d.get(key); ok {
			return v, nil
		}
		value, weight, err := make()
		if err == nil {
			d.put(&cacheEntry{key, value, weight})
		}
		return value, err
	})
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}
