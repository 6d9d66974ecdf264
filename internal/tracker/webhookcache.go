package tracker

import (
	"sync"

	"bugslice/internal/store"
)

// webhookCache caches the enabled webhooks of workspaces. Every change of a workspace reads the version of its webhooks
// from the database, so an entry is never used after another node has changed them.
type webhookCache struct {
	mu          sync.Mutex
	byWorkspace map[string]cachedWebhooks
}

type cachedWebhooks struct {
	version  int64
	webhooks []store.Webhook
}

const maxCachedWorkspaces = 10_000

func (c *webhookCache) get(workspaceID string, version int64) ([]store.Webhook, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.byWorkspace[workspaceID]
	return entry.webhooks, ok && entry.version == version
}

func (c *webhookCache) put(workspaceID string, entry cachedWebhooks) {
	c.mu.Lock()
	defer c.mu.Unlock()
	evict(c.byWorkspace, maxCachedWorkspaces)
	c.byWorkspace[workspaceID] = entry
}
