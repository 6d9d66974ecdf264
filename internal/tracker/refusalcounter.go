package tracker

import (
	"sync"

	"bugslice/api"
)

// refusalCounter counts the refused calls of keys, so that a refusal does not access the database.
type refusalCounter struct {
	mu     sync.Mutex
	counts map[refusalKey]*refusalCount
}

type refusalKey struct {
	keyID, code string
	hour        int64 // since 1970
}

type refusalCount struct {
	count     int64
	lastAt    api.Time
	operation string
}

// maxRefusalCounts bounds the counts in memory, of all keys. Refusals of further keys and codes are not counted until
// the background task has stored these.
const maxRefusalCounts = 10_000

// add counts a refused call of a key in the present hour. With maxRefusalCounts counts it ignores keys and codes that
// it has not counted yet.
func (r *refusalCounter) add(keyID, code, operation string, now api.Time) {
	k := refusalKey{keyID: keyID, code: code, hour: now.Unix() / 3600}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.counts[k]
	if n == nil {
		if len(r.counts) >= maxRefusalCounts {
			return
		}
		if r.counts == nil {
			r.counts = map[refusalKey]*refusalCount{}
		}
		n = &refusalCount{}
		r.counts[k] = n
	}
	n.count++
	n.lastAt, n.operation = now, operation
}

// drain removes and returns the counts.
func (r *refusalCounter) drain() map[refusalKey]*refusalCount {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := r.counts
	r.counts = nil
	return counts
}
