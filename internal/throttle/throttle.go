// Package throttle slows down whoever fails too often: after so many failures in a window, one attempt is let through
// per pause. It counts in memory, so each node has counts of its own.
package throttle

import (
	"sync"
	"time"
)

// Limit is how many failures a key may have in a window before it is slowed down to one attempt per pause.
type Limit struct {
	Failures int
	Window   time.Duration
	Pause    time.Duration
}

// maxKeys bounds the memory. When as many keys have failed recently, those that failed longest ago are forgotten.
const maxKeys = 20_000

// Throttle counts the failures of keys. It is safe for concurrent use.
type Throttle struct {
	limit Limit
	now   func() time.Time

	mu   sync.Mutex
	keys map[string]*history
}

// history is when a key failed, oldest first, and when an attempt was let through last.
type history struct {
	failures []time.Time
	let      time.Time
}

// New returns a Throttle without failures. now is the clock.
func New(l Limit, now func() time.Time) *Throttle {
	return &Throttle{limit: l, now: now, keys: map[string]*history{}}
}

// Attempt returns zero when an attempt may be made now, else how long to wait for one. While a key is slowed down,
// one attempt is let through per pause, whether it fails or not.
func (t *Throttle) Attempt(key string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.keys[key]
	if h == nil {
		return 0
	}
	now := t.now()
	if t.expire(key, h, now); len(h.failures) < t.limit.Failures {
		return 0
	}
	last := h.failures[len(h.failures)-1]
	if h.let.After(last) {
		last = h.let
	}
	if wait := t.limit.Pause - now.Sub(last); wait > 0 {
		return wait
	}
	h.let = now
	return 0
}

// Fail counts a failure.
func (t *Throttle) Fail(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.keys[key]
	if h == nil {
		t.makeRoom()
		h = &history{}
		t.keys[key] = h
	}
	if len(h.failures) == t.limit.Failures { // the oldest no longer matters
		h.failures = h.failures[1:]
	}
	h.failures = append(h.failures, t.now())
}

// expire forgets the failures of before the window, and the key when none is left.
func (t *Throttle) expire(key string, h *history, now time.Time) {
	for len(h.failures) > 0 && now.Sub(h.failures[0]) >= t.limit.Window {
		h.failures = h.failures[1:]
	}
	if len(h.failures) == 0 {
		delete(t.keys, key)
	}
}

func (t *Throttle) makeRoom() {
	if len(t.keys) < maxKeys {
		return
	}
	now := t.now()
	for key, h := range t.keys {
		t.expire(key, h, now)
	}
	for len(t.keys) >= maxKeys {
		oldest := ""
		for key, h := range t.keys {
			if oldest == "" || h.last().Before(t.keys[oldest].last()) {
				oldest = key
			}
		}
		delete(t.keys, oldest)
	}
}

func (h *history) last() time.Time { return h.failures[len(h.failures)-1] }
