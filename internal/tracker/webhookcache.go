package tracker

import (
	"bugslice/internal/store"
	"sync"
)

// webhookCache remembers the webhooks of workspaces at the mark they were read at. The mark
// comes from the database with every change, so what is remembered is never stale, on any node.
type webhookCache struct {
	mu          sync.Mutex
	byWorkspace map[string]cachedWebhooks
}

type cachedWebhooks struct {
	version  int64
	webhooks []store.Webhook // enabled ones
}

func (s *webhookCache) get(workspaceID string, mark int64) ([]store.Webhook, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.byWorkspace[workspaceID]
	return known.webhooks, ok && known.version == mark
}

func (s *webhookCache) put(workspaceID string, v cachedWebhooks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other := range s.byWorkspace {
		if len(s.byWorkspace) < maxCachedWorkspaces {
			break
		}
		delete(s.byWorkspace, other)
	}
	s.byWorkspace[workspaceID] = v
}

const maxCachedWorkspaces = 10_000 // workspaces
