package store

import "sync"

// signal wakes whoever waits for it. Raising it while nobody waits is remembered by the
// channel that was asked for before.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

func (s *signal) raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// Published returns a channel that is closed when this node next commits something that was
// announced by Publish. Ask for it before looking at what there is, and nothing is missed.
func (s *Store) Published() <-chan struct{} { return s.published.wait() }

// Publish announces, once the transaction is committed, that somebody may wait for what it wrote.
func (tx *Tx) Publish() { tx.published = true }
