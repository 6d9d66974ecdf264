// Package fairshare bounds the CPU-bound work in progress by slots: for each organisation, so that it leaves cores to
// the others, and for all organisations together.
package fairshare

import (
	"context"
	"errors"
	"io"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Limiter grants slots. The requests of an organisation acquire slots in the order in which they ask. It is safe for
// concurrent use.
type Limiter struct {
	perOrg int64
	total  *semaphore.Weighted

	mu   sync.Mutex
	orgs map[string]*queue // of organisations that have a slot or wait for one
}

// queue has the slots of an organisation.
type queue struct {
	slots *semaphore.Weighted
	users int // that have a slot or wait for one
}

// New returns a Limiter with a slot for each core. An organisation may have half of the slots, and at least one.
func New(cores int) *Limiter {
	return &Limiter{perOrg: int64(max(1, cores/2)), total: semaphore.NewWeighted(int64(max(1, cores))),
		orgs: map[string]*queue{}}
}

// Acquire waits for a slot of an organisation, until ctx ends. The caller releases it. A goroutine that has a slot
// must not wait for another.
func (l *Limiter) Acquire(ctx context.Context, org string) (*Slot, error) {
	s := l.Slot(org)
	return s, s.acquire(ctx)
}

// Slot returns a slot that is not acquired yet, for a Reader or a Writer.
func (l *Limiter) Slot(org string) *Slot { return &Slot{limiter: l, org: org} }

// join returns the queue of an organisation, with the caller as a user.
func (l *Limiter) join(org string) *queue {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.orgs[org]
	if q == nil {
		q = &queue{slots: semaphore.NewWeighted(l.perOrg)}
		l.orgs[org] = q
	}
	q.users++
	return q
}

func (l *Limiter) leave(org string, q *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.users--; q.users == 0 {
		delete(l.orgs, org)
	}
}

// Slot allows CPU-bound work while it is acquired. It is for one goroutine at a time.
type Slot struct {
	limiter *Limiter
	org     string
	queue   *queue // nil while the slot is released
}

// acquire waits for a slot of the organisation, and then for one of all, until ctx ends.
func (s *Slot) acquire(ctx context.Context) error {
	q := s.limiter.join(s.org)
	if err := q.slots.Acquire(ctx, 1); err != nil {
		s.limiter.leave(s.org, q)
		return err
	}
	if err := s.limiter.total.Acquire(ctx, 1); err != nil {
		q.slots.Release(1)
		s.limiter.leave(s.org, q)
		return err
	}
	s.queue = q
	return nil
}

// Release releases the slot. Further calls do nothing.
func (s *Slot) Release() {
	if s.queue == nil {
		return
	}
	s.limiter.total.Release(1)
	s.queue.slots.Release(1)
	s.limiter.leave(s.org, s.queue)
	s.queue = nil
}

// WhileReleased releases the slot, calls wait, which may wait for a client, and acquires the slot again if it was
// acquired before.
func (s *Slot) WhileReleased(ctx context.Context, wait func()) error {
	acquired := s.queue != nil
	s.Release()
	wait()
	if !acquired {
		return nil
	}
	return s.acquire(ctx)
}

// Writer returns a writer to w that releases the slot during each write to w.
func (s *Slot) Writer(ctx context.Context, w io.Writer) io.Writer { return &writer{s, ctx, w} }

type writer struct {
	slot *Slot
	ctx  context.Context
	to   io.Writer
}

func (w *writer) Write(p []byte) (n int, err error) {
	reacquired := w.slot.WhileReleased(w.ctx, func() { n, err = w.to.Write(p) })
	return n, errors.Join(err, reacquired)
}

// Reader returns the reader that transform makes of src. Each read acquires the slot, and releases it during the
// reads from src.
func (s *Slot) Reader(ctx context.Context, src io.Reader, transform func(io.Reader) io.Reader) io.Reader {
	return &outerReader{s, ctx, transform(&innerReader{s, ctx, src})}
}

// outerReader acquires the slot for each read.
type outerReader struct {
	slot *Slot
	ctx  context.Context
	from io.Reader
}

// Read fills p, so that a slot is not acquired for every few bytes.
func (r *outerReader) Read(p []byte) (n int, err error) {
	if err := r.slot.acquire(r.ctx); err != nil {
		return 0, err
	}
	defer r.slot.Release()
	for n < len(p) && err == nil {
		var more int
		more, err = r.from.Read(p[n:])
		n += more
	}
	return n, err
}

// innerReader releases the slot during each read.
type innerReader struct {
	slot *Slot
	ctx  context.Context
	src  io.Reader
}

func (r *innerReader) Read(p []byte) (n int, err error) {
	if reacquired := r.slot.WhileReleased(r.ctx, func() { n, err = r.src.Read(p) }); reacquired != nil {
		return n, reacquired
	}
	return n, err
}
