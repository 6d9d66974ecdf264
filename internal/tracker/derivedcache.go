package tracker

import (
	"container/list"
	"sync"

	"golang.org/x/sync/singleflight"
)

// derivedBytes is about as much memory as results that are made from evidence take, and largestDerived
// as much as one of them may take to be kept.
const (
	derivedBytes   = 32 << 20
	largestDerived = derivedBytes / 8
)

// derived caches what is made from the evidence of attachments, which never changes: an index, the
// rows of a page, what a report shows of a set. A key names the operation, its parameters and the
// attachments. Nobody's rights are part of it: they are checked before. What it holds is shared and
// read only.
type derived struct {
	mu     sync.Mutex
	recent list.List // of *result, the latest used first
	of     map[string]*list.Element
	bytes  int
	making singleflight.Group
}

type result struct {
	key    string
	value  any
	weight int
}

func newDerived() *derived { return &derived{of: map[string]*list.Element{}} }

func (d *derived) get(key string) (any, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.of[key]
	if !ok {
		return nil, false
	}
	d.recent.MoveToFront(e)
	return e.Value.(*result).value, true
}

func (d *derived) put(r *result) {
	r.weight += len(r.key) + 256
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.of[r.key]; ok || r.weight > largestDerived {
		return
	}
	d.of[r.key] = d.recent.PushFront(r)
	for d.bytes += r.weight; d.bytes > derivedBytes; {
		last := d.recent.Remove(d.recent.Back()).(*result)
		delete(d.of, last.key)
		d.bytes -= last.weight
	}
}

// derive returns the result under a key, which make makes, with its weight in bytes, when it is not
// there. While it is being made, others who ask for it wait. An error is not kept.
func derive[T any](d *derived, key string, make func() (value T, weight int, err error)) (T, error) {
	if v, ok := d.get(key); ok {
		return v.(T), nil
	}
	v, err, _ := d.making.Do(key, func() (any, error) {
		if v, ok := d.get(key); ok {
			return v, nil
		}
		value, weight, err := make()
		if err == nil {
			d.put(&result{key, value, weight})
		}
		return value, err
	})
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}
