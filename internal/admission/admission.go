// Package admission bounds the memory of request bodies while they arrive and are processed. Bytes
// are counted as they arrive, never by what a header declares. An organisation has half of the
// memory. While more than half of it is used, slow bodies are ended, and one key has a quarter of
// its organisation's share.
package admission

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"bugslice/api"
)

// An eighth of the memory is kept for bodies of up to 64 KiB, so that large ones never refuse the
// small writes of others. Such a body uses up to smallBody while its buffer is enlarged.
const (
	maxMemory   = 512 << 20
	smallMemory = maxMemory / 8
	smallBody   = 128 << 10
	maxParallel = 16 << 20 // bytes that are processed at the same time
	maxAnswers  = 128 << 20
)

// A body is slow when less than minRate of it arrived in the last minute; none is judged before its
// grace is over. At most maxWaiting bodies of a key wait for memory, for at most maxWait.
const (
	minRate    = 8 << 10 // bytes a second
	grace      = 10 * time.Second
	maxWait    = time.Minute
	maxWaiting = 32
)

// Limiter shares the memory of one node. It is safe for concurrent use.
type Limiter struct {
	mu           sync.Mutex // of the pools and of every Reservation
	small, large *pool
	answers      *pool // answers that clients have not taken yet

	parallel      *semaphore.Weighted
	parallelByOrg map[string]*semaphore.Weighted // an instance has few organisations: they stay
}

// New returns a Limiter whose memory is free.
func New() *Limiter { return newLimiter(smallMemory, maxMemory-smallMemory) }

func newLimiter(small, large int64) *Limiter {
	return &Limiter{small: newPool(small), large: newPool(large), answers: newPool(maxAnswers),
		parallel: semaphore.NewWeighted(maxParallel), parallelByOrg: map[string]*semaphore.Weighted{}}
}

// Reserve returns a Reservation of no memory yet, for a body that is sent with a key. interrupt makes the
// pending read of the body return; it must not block.
func (l *Limiter) Reserve(org, key string, interrupt func()) *Reservation {
	return &Reservation{limiter: l, owner: owner{org, key}, interrupt: interrupt, pool: l.small, arriving: true, rate: rate{since: time.Now()}}
}

// ReserveAnswer reserves n bytes for an answer, or refuses them at once. interrupt makes the pending write of
// the answer return; it must not block. An answer counts as slow from Await on.
func (l *Limiter) ReserveAnswer(org, key string, n int64, interrupt func()) (*Reservation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &Reservation{limiter: l, owner: owner{org, key}, interrupt: interrupt, pool: l.answers}
	if n = min(n, maxAnswers/2); l.answers.judge(r, n, time.Now()) != given {
		return nil, full
	}
	l.answers.add(r, n)
	return r, nil
}

// Await says that the client of an answer is waited for from here on, so that its rate counts.
func (r *Reservation) Await() {
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	r.arriving, r.rate = !r.released, rate{since: time.Now()}
}

// Reservation is the memory of one body or answer. It is for one goroutine.
type Reservation struct {
	limiter   *Limiter
	owner     owner
	interrupt func()
	pool      *pool
	used      int64
	rate      rate
	arriving  bool
	waiting   bool
	released  bool
	err       error // why the body was ended

	processing int64 // the weight with which the body is processed
}

// grow adds n bytes, or refuses them. It waits while other bodies of the key go first, and while
// bodies that were ended free their memory.
func (r *Reservation) grow(ctx context.Context, n int64) error {
	l := r.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	var end <-chan time.Time
	for {
		switch {
		case r.err != nil:
			return r.err
		case r.released:
			return busy
		}
		p, need := r.pool, n
		if p == l.small && r.used+n > smallBody {
			p, need = l.large, r.used+n
		}
		switch p.judge(r, need, time.Now()) {
		case given:
			r.take(p, n)
			return nil
		case refused:
			return busy
		}
		if end == nil {
			end = time.After(maxWait)
		}
		if err := r.wait(ctx, p, end); err != nil {
			return err
		}
	}
}

// take moves the Reservation to a pool and adds n bytes.
func (r *Reservation) take(p *pool, n int64) {
	if r.pool != p {
		n += r.used
		r.pool.add(r, -r.used)
		r.pool = p
	}
	p.add(r, n)
}

// wait returns when there may be memory, with the lock as before. While it waits nothing of the body is
// read, so its rate begins anew.
func (r *Reservation) wait(ctx context.Context, p *pool, end <-chan time.Time) (err error) {
	if p.waiting[r.owner] >= maxWaiting {
		return busy
	}
	p.waiting[r.owner]++
	r.waiting = true
	changed := p.changed
	r.limiter.mu.Unlock()
	select {
	case <-changed:
	case <-time.After(time.Second): // a body may be slow by now
	case <-end:
		err = busy
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

// shrink gives n bytes back.
func (r *Reservation) shrink(n int64) {
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	if !r.released {
		r.pool.add(r, -n)
	}
}

// Release gives all memory back and ends the processing. Further calls do nothing.
func (r *Reservation) Release() {
	r.EndProcessing()
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	if !r.released {
		r.pool.add(r, -r.used)
		r.released, r.arriving = true, false
	}
}

// Arrived counts n bytes of the body towards its rate. It returns the refusal when the body was ended: a
// reader asks before each read, after it has set the deadline that interrupt brings forward.
func (r *Reservation) Arrived(n int) error {
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	r.rate.add(int64(n), time.Now())
	return r.err
}

// Complete says that all of the body has arrived: from here on it is not ended. It returns the refusal
// when the body was ended before.
func (r *Reservation) Complete() error {
	r.limiter.mu.Lock()
	defer r.limiter.mu.Unlock()
	r.arriving = false
	return r.err
}

var (
	busy = api.Refuse(api.CodeUnavailable, "Too many bodies are in memory at once. Send this one again in a moment.")
	full = api.Refuse(api.CodeUnavailable, "Too many large answers are in memory at once. Ask again in a moment, or for less.")
	slow = api.Refuse(api.CodeRequestTimeout, "The body came too slowly while memory was short. Send it again, faster than 8 KiB a second.")
)

// end ends a body that still arrives.
func (r *Reservation) end() {
	for _, a := range r.pool.accounts(r.owner) {
		a.ending += r.used
	}
	r.err = slow
	r.interrupt()
}

// Process waits until a body of n bytes may be processed. Small bodies do not wait. EndProcessing or Release
// ends the processing.
func (r *Reservation) Process(ctx context.Context, n int) error {
	r.EndProcessing()
	if n < 64<<10 {
		return nil
	}
	l, weight := r.limiter, int64(min(n, maxParallel/2))
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

// EndProcessing lets other bodies be processed. Further calls do nothing.
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
