// Package ratelimit limits the rate of requests by token buckets in memory, one for each key or client address. A
// bucket has the tokens of a minute and is refilled continuously. Each node has its own buckets.
package ratelimit

import (
	"math"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Decision is whether a request is allowed, and the state of its bucket.
type Decision struct {
	Allowed    bool
	Limit      int           // tokens of a full bucket
	Remaining  int           // whole tokens
	Reset      time.Duration // until the bucket is full
	RetryAfter time.Duration // until the next request is allowed; 0 when this one is
}

// Seconds returns a time in whole seconds, rounded up, so that a request after it is not too early.
func Seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// Limiter is a set of buckets. It is safe for concurrent use. It deletes full buckets, and has at most about twice as
// many buckets as are not full, or 4096.
type Limiter struct {
	limit     int
	perSecond rate.Limit
	clock     func() time.Time

	mu        sync.Mutex
	buckets   map[string]*rate.Limiter
	lastTime  time.Time // the latest time that was read
	lastSweep time.Time
	sweepSize int // number of buckets from which they are swept
}

const minSweepSize = 4096

// New returns a Limiter of perMinute requests, at least one. now is the clock, time.Now when nil.
func New(perMinute int, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{limit: perMinute, perSecond: rate.Limit(float64(perMinute) / 60), clock: now,
		buckets: map[string]*rate.Limiter{}, lastSweep: now(), sweepSize: minSweepSize}
}

// Allow takes a token from the bucket of a key, unless the bucket is empty.
func (l *Limiter) Allow(key string) Decision { return l.AllowN(key, 1) }

// AllowN takes n tokens from the bucket of a key, or none when it has fewer.
func (l *Limiter) AllowN(key string, n int) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.sweep(now)
	b, ok := l.buckets[key]
	if !ok {
		b = rate.NewLimiter(l.perSecond, l.limit)
		l.buckets[key] = b
	}
	allowed := b.AllowN(now, n)
	return l.decision(allowed, n, max(0, b.TokensAt(now)))
}

func (l *Limiter) decision(allowed bool, n int, tokens float64) Decision {
	d := Decision{Allowed: allowed, Limit: l.limit, Remaining: int(tokens),
		Reset: l.refillTime(float64(l.limit) - tokens)}
	if !allowed {
		d.RetryAfter = l.refillTime(float64(n) - tokens)
	}
	return d
}

// now returns the time of the clock, or the latest time before if the clock went back, because a bucket would be
// refilled twice. The caller has locked l.mu.
func (l *Limiter) now() time.Time {
	if now := l.clock(); now.After(l.lastTime) {
		l.lastTime = now
	}
	return l.lastTime
}

// refillTime returns the time in which a number of tokens is refilled, rounded up.
func (l *Limiter) refillTime(tokens float64) time.Duration {
	if tokens <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(tokens/float64(l.perSecond)*1000+1e-6)) * time.Millisecond
}

// sweep deletes the full buckets, once a minute and whenever the number of buckets has doubled. A new bucket is full
// too.
func (l *Limiter) sweep(now time.Time) {
	if now.Sub(l.lastSweep) < time.Minute && len(l.buckets) < l.sweepSize {
		return
	}
	l.lastSweep = now
	for key, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.limit) {
			delete(l.buckets, key)
		}
	}
	l.sweepSize = max(minSweepSize, 2*len(l.buckets))
}

// ClientKey returns the key of a client address: an IPv4 address, or the /64 of an IPv6 address.
func ClientKey(a netip.Addr) string {
	a = a.Unmap()
	if a.Is6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
