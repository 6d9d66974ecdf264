// Package admission bounds the memory of request bodies and of large responses. The bytes of a body are reserved as
// they arrive, whatever its Content-Length says. An organisation may reserve half of the memory. While more than half
// of the memory is reserved, slow bodies are evicted, and a key may reserve a quarter of its organisation's limit.
package admission

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"bugslice/api"
)

// An eighth of the memory is for bodies of up to 64 KiB, so that large bodies never make small ones fail. Such a body
// reserves up to smallBody while its buffer is enlarged.
const (
	maxMemory    = 512 << 20
	smallMemory  = maxMemory / 8
	smallBody    = 128 << 10
	maxParallel  = 16 << 20 // bytes that are processed at the same time
	minParallel  = 64 << 10 // smaller bodies are processed without waiting
	maxResponses = 128 << 20
)

// A body is slow when its rate in the last minute was below minRate, but never within its first grace. At most
// maxWaiting bodies of a key wait for memory, each for at most maxWait.
const (
	minRate    = 8 << 10 // bytes a second
	grace      = 10 * time.Second
	maxWait    = time.Minute
	maxWaiting = 32
)

// Limiter bounds the memory of one node. It is safe for concurrent use.
type Limiter struct {
	mu           sync.Mutex // guards the pools and every Reservation
	small, large *pool      // of bodies
	responses    *pool

	parallel      *semaphore.Weighted
	parallelByOrg map[string]*semaphore.Weighted // is never reduced: an instance has few organisations
}

// New returns a Limiter of a node.
func New() *Limiter { return newLimiter(smallMemory, maxMemory-smallMemory) }

func newLimiter(small, large int64) *Limiter {
	return &Limiter{small: newPool(small), large: newPool(large), responses: newPool(maxResponses),
		parallel: semaphore.NewWeighted(maxParallel), parallelByOrg: map[string]*semaphore.Weighted{}}
}

// Reserve returns an empty Reservation for a body that a key sends. interrupt makes a pending read of the body
// return; it must not block.
func (l *Limiter) Reserve(org, key string, interrupt func()) *Reservation {
	return &Reservation{limiter: l, owner: owner{org, key}, interrupt: interrupt, pool: l.small,
		transferring: true, rate: rate{since: time.Now()}}
}

// ReserveResponse reserves n bytes for a response, or returns unavailable without waiting. interrupt makes a pending
// write of the response return; it must not block. The rate of the client counts from StartTransfer on.
func (l *Limiter) ReserveResponse(org, key string, n int64, interrupt func()) (*Reservation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &Reservation{limiter: l, owner: owner{org, key}, interrupt: interrupt, pool: l.responses}
	if n = min(n, maxResponses/2); l.responses.decide(r, n, time.Now()) != granted {
		return nil, errTooManyResponses
	}
	l.responses.add(r, n)
	return r, nil
}

// StartTransfer starts to measure the rate at which the client receives a response.
func (r *Reservation) StartTransfer() {
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	r.transferring, r.rate = !r.released, rate{since: time.Now()}
}

// Reservation is the memory of one body or response. It is for one goroutine.
type Reservation struct {
	limiter      *Limiter
	owner        owner
	interrupt    func()
	pool         *pool
	used         int64
	rate         rate
	transferring bool // the client is sending the body, or receiving the response
	waiting      bool // for memory
	released     bool
	err          error // set by an eviction

	processing int64 // the weight acquired by Process
}

// grow reserves n more bytes. It waits for older bodies of the key and for the memory of evicted bodies, at most
// maxWait. It returns an error when the body is evicted, or when the limits leave no memory for it.
func (r *Reservation) grow(ctx context.Context, n int64) error {
	l := r.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	var timeout <-chan time.Time
	for {
		switch {
		case r.err != nil:
			return r.err
		case r.released:
			return errTooManyBodies
		}
		p, needed := r.pool, n
		if p == l.small && r.used+n > smallBody { // the body moves to the pool of large ones
			p, needed = l.large, r.used+n
		}
		switch p.decide(r, needed, time.Now()) {
		case granted:
			r.addFrom(p, n)
			return nil
		case denied:
			return errTooManyBodies
		}
		if timeout == nil {
			timeout = time.After(maxWait)
		}
		if err := r.wait(ctx, p, timeout); err != nil {
			return err
		}
	}
}

// addFrom moves the Reservation to a pool and adds n bytes.
func (r *Reservation) addFrom(p *pool, n int64) {
	if r.pool != p {
		n += r.used
		r.pool.add(r, -r.used)
		r.pool = p
	}
	p.add(r, n)
}

// wait unlocks the Limiter until memory may be free, and locks it again. It refuses more than maxWaiting waiting
// bodies of a key. The rate is measured anew afterwards, because a body is not read while it waits.
func (r *Reservation) wait(ctx context.Context, p *pool, timeout <-chan time.Time) (err error) {
	if p.waiting[r.owner] >= maxWaiting {
		return errTooManyBodies
	}
	p.waiting[r.owner]++
	r.waiting = true
	changed := p.changed
	r.limiter.mu.Unlock()
	select {
	case <-changed:
	case <-time.After(time.Second): // another body may have become slow
	case <-timeout:
		err = errTooManyBodies
	case <-ctx.Done():
		err = ctx.Err()
	}
	r.limiter.mu.Lock()
	r.waiting, r.rate = false, rate{since: time.Now()}
	if p.waiting[r.owner]--; p.waiting[r.owner] == 0 {
		delete(p.waiting, r.owner)
	}
	return err
}

// shrink releases n bytes.
func (r *Reservation) shrink(n int64) {
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	if !r.released {
		r.pool.add(r, -n)
	}
}

// Release releases all memory and ends the processing. Further calls do nothing.
func (r *Reservation) Release() {
	r.EndProcessing()
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	if !r.released {
		r.pool.add(r, -r.used)
		r.released, r.transferring = true, false
	}
}

// Err returns the error of an eviction. A reader calls it before each read, after it has set the deadline that
// interrupt brings forward.
func (r *Reservation) Err() error { return r.Transferred(0) }

// Transferred counts n bytes towards the rate of the client. It returns the error of an eviction.
func (r *Reservation) Transferred(n int) error {
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	r.rate.add(int64(n), time.Now())
	return r.err
}

// Complete marks the body as received, so that it is not evicted any more. It returns the error of an eviction before.
func (r *Reservation) Complete() error {
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	r.transferring = false
	return r.err
}

var (
	errTooManyBodies = api.NewProblem(api.CodeUnavailable,
		"Too many bodies are in memory at once. Send this one again in a moment.")
	errTooManyResponses = api.NewProblem(api.CodeUnavailable,
		"Too many large responses are in memory at once. Ask again in a moment, or for less.")
	errTooSlow = api.NewProblem(api.CodeRequestTimeout,
		"The body arrived too slowly while memory was short. Send it again, faster than 8 KiB a second.")
)

// evict ends the transfer of a body or response.
func (r *Reservation) evict() {
	for _, a := range r.pool.accounts(r.owner).all() {
		a.evicting += r.used
	}
	r.err = errTooSlow
	r.interrupt()
}

// StartProcessing waits until a body of n bytes may be processed. Small bodies do not wait. The processing lasts until
// EndProcessing, Release or the next StartProcessing.
func (r *Reservation) StartProcessing(ctx context.Context, n int) error {
	r.EndProcessing()
	if n < minParallel {
		return nil
	}
	l, weight := r.limiter, int64(min(n,
		maxParallel/2)) // a body of any size fits into the semaphore of its organisation
	org := l.parallelOf(r.owner.org)
	if err := org.Acquire(ctx, weight); err != nil {
		return err
	}
	if err := l.parallel.Acquire(ctx, weight); err != nil {
		org.Release(weight)
		return err
	}
	r.processing = weight
	return nil
}

// EndProcessing ends the processing, so that other bodies may be processed. Further calls do nothing.
func (r *Reservation) EndProcessing() {
	if r.processing > 0 {
		r.limiter.parallel.Release(r.processing)
		r.limiter.parallelOf(r.owner.org).Release(r.processing)
		r.processing = 0
	}
}

// parallelOf returns the semaphore of an organisation.
func (l *Limiter) parallelOf(org string) *semaphore.Weighted {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.parallelByOrg[org]
	if s == nil {
		s = semaphore.NewWeighted(maxParallel / 2)
		l.parallelByOrg[org] = s
	}
	return s
}
