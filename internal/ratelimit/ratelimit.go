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

// Limiter is a set of buckets. It is safe for concurrent use, and forgets full buckets.
type Limiter struct {
	limit int
	every rate.Limit
	now   func() time.Time

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
	swept   time.Time
}

// New returns a Limiter of so many requests a minute. now is the clock, time.Now when nil.
func New(perMinute int, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{limit: perMinute, every: rate.Limit(float64(perMinute) / 60), now: now, buckets: map[string]*rate.Limiter{}, swept: now()}
}

// Take takes one request from the key's bucket, if there is one.
func (l *Limiter) Take(key string) Decision {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	b, ok := l.buckets[key]
	if !ok {
		b = rate.NewLimiter(l.every, l.limit)
		l.buckets[key] = b
	}
	d := Decision{Allowed: b.AllowN(now, 1), Limit: l.limit}
	left := max(0, b.TokensAt(now))
	d.Remaining = int(left)
	d.Reset = l.wait(float64(l.limit) - left)
	if !d.Allowed {
		d.RetryAfter = l.wait(1 - left)
	}
	return d
}

// wait returns how long so many tokens take to come, rounded up.
func (l *Limiter) wait(tokens float64) time.Duration {
	return time.Duration(math.Ceil(tokens/float64(l.every)*1000+1e-6)) * time.Millisecond
}

// sweep forgets, once a minute, the buckets that are full: a new one is the same.
func (l *Limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Minute {
		return
	}
	l.swept = now
	for key, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.limit) {
			delete(l.buckets, key)
		}
	}
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
