package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// Start is what has been done in a workspace since it was created.
type Start = store.Start

// establishedReports is the number of reports from which on a workspace is no longer new.
const establishedReports = 10

// Start returns what has been done in a workspace that the caller administers.
func (t *Tracker) Start(ctx context.Context, c access.Caller, workspaceID string) (Start, error) {
	if err := c.Allow(api.OpGetWorkspace); err != nil {
		return Start{}, err
	}
	q := t.access.Read(ctx)
	if err := c.RequireAdmin(q, workspaceID); err != nil {
		return Start{}, err
	}
	return q.Start(workspaceID, c.ID, establishedReports)
}
