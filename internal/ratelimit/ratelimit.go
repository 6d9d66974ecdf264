// Package ratelimit keeps token buckets in memory, one for each key or client address. A
// bucket holds a minute's worth and refills steadily. Each node has its own.
package ratelimit

import (
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Decision says whether a request may go on, and what is left.
type Decision struct {
	Allowed    bool
	Limit      int           // what a full bucket holds
	Remaining  int           // whole requests left now
	Reset      time.Duration // until the bucket is full again
	RetryAfter time.Duration // until the next request may go on; 0 when allowed
}

// Limiter is a set of buckets. It is safe for concurrent use. It forgets full buckets, and
// holds at most about twice as many as are not full, or 4096.
type Limiter struct {
	limit int
	every rate.Limit
	now   func() time.Time

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
	last    time.Time // the latest reading of the clock: a bucket is never read at an earlier one
	swept   time.Time
	sweepAt int // so many buckets
}

const fewest = 4096

// New returns a Limiter of so many requests a minute, at least one. now is the clock, time.Now when nil.
func New(perMinute int, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{limit: perMinute, every: rate.Limit(float64(perMinute) / 60), now: now, buckets: map[string]*rate.Limiter{}, swept: now(), sweepAt: fewest}
}

// Take takes one request from the key's bucket, if there is one.
func (l *Limiter) Take(key string) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.read()
	l.sweep(now)
	b, ok := l.buckets[key]
	if !ok {
		b = rate.NewLimiter(l.every, l.limit)
		l.buckets[key] = b
	}
	allowed := b.AllowN(now, 1)
	return l.decide(allowed, max(0, b.TokensAt(now)))
}

func (l *Limiter) decide(allowed bool, left float64) Decision {
	d := Decision{Allowed: allowed, Limit: l.limit, Remaining: int(left), Reset: l.wait(float64(l.limit) - left)}
	if !allowed {
		d.RetryAfter = l.wait(1 - left)
	}
	return d
}

// read returns the clock's time, or the latest one if it went back: a bucket asked at an
// earlier time would count the time since then twice. The caller holds the lock.
func (l *Limiter) read() time.Time {
	if now := l.now(); now.After(l.last) {
		l.last = now
	}
	return l.last
}

// wait returns how long so many tokens take to come, rounded up.
func (l *Limiter) wait(tokens float64) time.Duration {
	if tokens <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(tokens/float64(l.every)*1000+1e-6)) * time.Millisecond
}

// sweep forgets, once a minute and whenever their number has doubled, the buckets that are
// full: a new one is the same.
func (l *Limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Minute && len(l.buckets) < l.sweepAt {
		return
	}
	l.swept = now
	for key, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.limit) {
			delete(l.buckets, key)
		}
	}
	l.sweepAt = max(fewest, 2*len(l.buckets))
}

// ClientKey names the bucket of an address: IPv4 as it is, IPv6 by its /64.
func ClientKey(a netip.Addr) string {
	a = a.Unmap()
	if a.Is6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
