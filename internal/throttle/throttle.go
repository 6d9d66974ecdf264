// Package throttle limits attempts that fail: after so many failures in a window, one attempt is admitted per pause.
// An attempt in progress counts as a failure. It counts in memory, so each node has counts of its own.
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

// history is the attempts of a key: when they failed, oldest first, how many have not ended, and when one was let
// through last while the key was slowed down.
type history struct {
	failures []time.Time
	reserved int
	let      time.Time
}

// reservedPause is the time after which an attempt may be repeated that was refused because of attempts in progress.
const reservedPause = time.Second

// New returns a Throttle without failures. now is the clock.
func New(l Limit, now func() time.Time) *Throttle {
	return &Throttle{limit: l, now: now, keys: map[string]*history{}}
}

// Attempt is a reserved attempt of a key. It counts against the limit as a failure does, until Fail or Release ends
// it. The first of them counts; later calls change nothing.
type Attempt struct {
	throttle *Throttle
	key      string
	ended    bool
}

// Reserve reserves an attempt of a key. It returns nil, and the time to wait, when none may be made now. While a key is
// slowed down, one attempt is let through per pause, whether it fails or not.
func (t *Throttle) Reserve(key string) (*Attempt, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h, now := t.keys[key], t.now()
	if h == nil {
		t.makeRoom()
		h = &history{}
		t.keys[key] = h
	}
	h.expire(now.Add(-t.limit.Window))
	switch {
	case len(h.failures) >= t.limit.Failures:
		if wait := t.limit.Pause - now.Sub(h.last()); wait > 0 {
			return nil, wait
		}
		h.let = now
	case len(h.failures)+h.reserved >= t.limit.Failures:
		return nil, reservedPause
	}
	h.reserved++
	return &Attempt{throttle: t, key: key}, 0
}

// Fail ends an attempt as a failure.
func (a *Attempt) Fail() { a.end(true) }

// Release ends an attempt that has not failed. It does nothing for a nil attempt.
func (a *Attempt) Release() {
	if a != nil {
		a.end(false)
	}
}

func (a *Attempt) end(failed bool) {
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.ended {
		return
	}
	a.ended = true
	h, now := t.keys[a.key], t.now() // a history with a reserved attempt is not forgotten
	h.reserved--
	if failed {
		h.failures = append(h.failures, now)
	}
	if h.expire(now.Add(-t.limit.Window)); h.empty() {
		delete(t.keys, a.key)
	}
}

// expire forgets the failures until a time.
func (h *history) expire(until time.Time) {
	for len(h.failures) > 0 && !h.failures[0].After(until) {
		h.failures = h.failures[1:]
	}
}

func (h *history) empty() bool { return h.reserved == 0 && len(h.failures) == 0 }

// last returns when an attempt failed or was let through last.
func (h *history) last() time.Time {
	var last time.Time
	if len(h.failures) > 0 {
		last = h.failures[len(h.failures)-1]
	}
	if h.let.After(last) {
		return h.let
	}
	return last
}

// makeRoom forgets the key whose last failure is the oldest when there are too many. Keys with an attempt in progress
// stay.
func (t *Throttle) makeRoom() {
	if len(t.keys) < maxKeys {
		return
	}
	until := t.now().Add(-t.limit.Window)
	oldest := ""
	for key, h := range t.keys {
		h.expire(until)
		switch {
		case h.reserved > 0:
		case h.empty():
			delete(t.keys, key)
		case oldest == "" || h.last().Before(t.keys[oldest].last()):
			oldest = key
		}
	}
	if len(t.keys) >= maxKeys {
		delete(t.keys, oldest)
	}
}
