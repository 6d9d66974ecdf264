package tracker

import (
	"bugslice/internal/store"
	"sync"
)

// subscriptions remembers the webhooks of workspaces at the mark they were read at. The mark
// comes from the database with every change, so what is remembered is never stale, on any node.
type subscriptions struct {
	mu sync.Mutex
	of map[string]subscribed
}

type subscribed struct {
	mark     int64
	webhooks []store.Webhook // enabled ones
}

func (s *subscriptions) get(workspaceID string, mark int64) ([]store.Webhook, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.of[workspaceID]
	return known.webhooks, ok && known.mark == mark
}

func (s *subscriptions) put(workspaceID string, v subscribed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other := range s.of {
		if len(s.of) < maxSubscribed {
			break
		}
		delete(s.of, other)
	}
	s.of[workspaceID] = v
}

const maxSubscribed = 10_000 // workspaces
