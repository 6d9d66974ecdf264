package tracker

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// Large bodies are held in memory, and what is made of them takes many times their size: both are
// bounded, for the node and for each organisation, so that none of them shuts out another. A body
// of fewer than uncounted bytes is not counted.
const (
	uncounted = 64 << 10
	mostHeld  = 512 << 20         // bytes that are there at once, waiting too
	shareHeld = mostHeld / 2      // of one organisation
	atOnce    = evidence.MaxBytes // bytes that are read, redacted and kept at the same time
	shareOnce = atOnce / 2
)

// turns are who holds what. An instance has few organisations: their shares stay.
type turns struct {
	mu   sync.Mutex
	held int64
	of   map[string]*share
	all  *semaphore.Weighted
}

type share struct {
	held int64
	turn *semaphore.Weighted
}

func newTurns() *turns { return &turns{of: map[string]*share{}, all: semaphore.NewWeighted(atOnce)} }

// share returns that of an organisation. The caller holds the lock.
func (t *turns) share(org string) *share {
	s := t.of[org]
	if s == nil {
		s = &share{turn: semaphore.NewWeighted(shareOnce)}
		t.of[org] = s
	}
	return s
}

// Hold counts a body that is going to be read into memory, or refuses it when there are too many.
func (t *Tracker) Hold(c Caller, size int64) (done func(), err error) {
	if size < uncounted {
		return func() {}, nil
	}
	in := t.turns
	in.mu.Lock()
	defer in.mu.Unlock()
	s := in.share(c.Organization.ID)
	if s.held+size > shareHeld || in.held+size > mostHeld {
		return func() {}, api.Refuse(api.CodeUnavailable, "Too many large bodies are on their way at once. Send this one again in a moment.")
	}
	s.held += size
	in.held += size
	return func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		s.held -= size
		in.held -= size
	}, nil
}

// Turn waits until a body that is there may be redacted and kept, and returns what ends that.
func (t *Tracker) Turn(ctx context.Context, c Caller, size int) (done func(), err error) {
	if size < uncounted {
		return func() {}, nil
	}
	in, n := t.turns, int64(min(size, shareOnce))
	in.mu.Lock()
	s := in.share(c.Organization.ID)
	in.mu.Unlock()
	if err := s.turn.Acquire(ctx, n); err != nil {
		return func() {}, err
	}
	if err := in.all.Acquire(ctx, n); err != nil {
		s.turn.Release(n)
		return func() {}, err
	}
	return func() {
		in.all.Release(n)
		s.turn.Release(n)
	}, nil
}
