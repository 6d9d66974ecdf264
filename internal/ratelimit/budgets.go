package ratelimit

import (
	"sync"
	"time"
)

// Budgets is a set of buckets of which each has a limit and a period of its own. It is safe for concurrent use. It
// deletes full buckets, as a Limiter does.
type Budgets struct {
	clock func() time.Time

	mu        sync.Mutex
	buckets   map[string]*budget
	lastSweep time.Time
	sweepSize int
}

type budget struct {
	tokens float64
	at     time.Time
	limit  float64
	per    time.Duration
}

// refill adds what has come since the last time. A clock that went back adds nothing.
func (b *budget) refill(now time.Time) {
	if passed := now.Sub(b.at); passed > 0 {
		b.tokens, b.at = min(b.limit, b.tokens+b.limit*passed.Seconds()/b.per.Seconds()), now
	}
}

// NewBudgets returns full buckets. now is the clock, time.Now when nil.
func NewBudgets(now func() time.Time) *Budgets {
	if now == nil {
		now = time.Now
	}
	return &Budgets{clock: now, buckets: map[string]*budget{}, lastSweep: now(), sweepSize: minSweepSize}
}

// Charge is what Take takes: a token of the bucket of a key, which has Limit tokens for a period.
type Charge struct {
	Key   string
	Limit int64
	Per   time.Duration
}

// Take takes a token from each bucket, or none of any when one is empty, and then returns the time after which it has
// one.
func (l *Budgets) Take(charges ...Charge) (ok bool, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	l.sweep(now)
	for _, c := range charges {
		if b := l.bucket(c, now); b.tokens < 1 {
			missing := time.Duration((1 - b.tokens) / b.limit * float64(b.per))
			retryAfter = max(retryAfter, missing, time.Millisecond)
		}
	}
	if retryAfter > 0 {
		return false, retryAfter
	}
	for _, c := range charges {
		l.buckets[c.Key].tokens--
	}
	return true, 0
}

// Return gives the tokens of a Take back.
func (l *Budgets) Return(charges ...Charge) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range charges {
		if b := l.buckets[c.Key]; b != nil {
			b.tokens = min(b.limit, b.tokens+1)
		}
	}
}

// bucket returns the bucket of a charge, with the limit that it has now. The caller has locked l.mu.
func (l *Budgets) bucket(c Charge, now time.Time) *budget {
	limit := float64(max(c.Limit, 1))
	b := l.buckets[c.Key]
	if b == nil {
		b = &budget{tokens: limit, at: now, limit: limit, per: c.Per}
		l.buckets[c.Key] = b
	}
	b.refill(now)
	if b.limit != limit || b.per != c.Per { // what was used stays used
		b.tokens += limit - b.limit
		b.limit, b.per = limit, c.Per
	}
	return b
}

// sweep deletes the full buckets, as that of a Limiter.
func (l *Budgets) sweep(now time.Time) {
	if now.Sub(l.lastSweep) < time.Minute && len(l.buckets) < l.sweepSize {
		return
	}
	l.lastSweep = now
	for key, b := range l.buckets {
		if b.refill(now); b.tokens >= b.limit {
			delete(l.buckets, key)
		}
	}
	l.sweepSize = max(minSweepSize, 2*len(l.buckets))
}
