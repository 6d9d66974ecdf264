// Package fairshare bounds how much heavy work is in progress at once: for each organisation, so
// that one of them leaves cores to the others, and for all together.
package fairshare

import (
	"context"
	"errors"
	"io"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Limiter gives out slots, in which work is done. An organisation's requests get theirs in the
// order in which they asked. It is safe for concurrent use.
type Limiter struct {
	perOrg int64
	total  *semaphore.Weighted

	mu   sync.Mutex
	orgs map[string]*queue // that have or want slots
}

// queue is an organisation's.
type queue struct {
	slots *semaphore.Weighted
	users int
}

// New returns a limiter for so many cores: an organisation may have half of them at work, at
// least one, and all organisations together may have all of them.
func New(cores int) *Limiter {
	return &Limiter{perOrg: int64(max(1, cores/2)), total: semaphore.NewWeighted(int64(max(1, cores))), orgs: map[string]*queue{}}
}

// Acquire waits for a slot of an organisation, until ctx ends. The caller releases it. Whoever
// has one must not wait for another.
func (l *Limiter) Acquire(ctx context.Context, org string) (*Slot, error) {
	s := l.Slot(org)
	return s, s.acquire(ctx)
}

// Slot returns a slot that is not acquired yet: for work that a reader or a writer does, which
// acquire it for as long as they compute.
func (l *Limiter) Slot(org string) *Slot { return &Slot{limiter: l, org: org} }

// join returns the queue of an organisation, in which the caller is from now on.
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

// Slot is a place to work in. It is for one goroutine at a time.
type Slot struct {
	limiter *Limiter
	org     string
	queue   *queue // nil while it is released
}

func (s *Slot) acquire(ctx context.Context) error {
	q := s.limiter.join(s.org)
	err := q.slots.Acquire(ctx, 1)
	if err == nil {
		if err = s.limiter.total.Acquire(ctx, 1); err != nil {
			q.slots.Release(1)
		}
	}
	if err != nil {
		s.limiter.leave(s.org, q)
		return err
	}
	s.queue = q
	return nil
}

// Release gives the slot back. Releasing it again does nothing.
func (s *Slot) Release() {
	if s.queue == nil {
		return
	}
	s.limiter.total.Release(1)
	s.queue.slots.Release(1)
	s.limiter.leave(s.org, s.queue)
	s.queue = nil
}

// Aside runs what waits for others, such as a client, without the slot, and acquires it again if
// it was held.
func (s *Slot) Aside(ctx context.Context, wait func()) error {
	held := s.queue != nil
	s.Release()
	wait()
	if !held {
		return nil
	}
	return s.acquire(ctx)
}

// Writer returns a writer to w that holds no slot while w takes what is written.
func (s *Slot) Writer(ctx context.Context, w io.Writer) io.Writer { return &writer{s, ctx, w} }

type writer struct {
	slot *Slot
	ctx  context.Context
	to   io.Writer
}

func (w *writer) Write(p []byte) (n int, err error) {
	again := w.slot.Aside(w.ctx, func() { n, err = w.to.Write(p) })
	return n, errors.Join(err, again)
}

// Reader returns a reader of what compute makes from src. It holds the slot while compute works,
// and not while src is awaited, nor while nobody reads from it.
func (s *Slot) Reader(ctx context.Context, src io.Reader, compute func(io.Reader) io.Reader) io.Reader {
	return &computing{s, ctx, compute(&awaiting{s, ctx, src})}
}

type computing struct {
	slot *Slot
	ctx  context.Context
	from io.Reader
}

// Read fills p, so that a slot is not acquired for every few bytes.
func (c *computing) Read(p []byte) (n int, err error) {
	if err := c.slot.acquire(c.ctx); err != nil {
		return 0, err
	}
	defer c.slot.Release()
	for n < len(p) && err == nil {
		var more int
		more, err = c.from.Read(p[n:])
		n += more
	}
	return n, err
}

type awaiting struct {
	slot *Slot
	ctx  context.Context
	src  io.Reader
}

func (a *awaiting) Read(p []byte) (n int, err error) {
	if again := a.slot.Aside(a.ctx, func() { n, err = a.src.Read(p) }); again != nil {
		return n, again
	}
	return n, err
}
