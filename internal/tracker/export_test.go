package tracker

import (
	"context"

	"bugslice/internal/store"
)

// ReserveBlobs reserves keys, as an upload does.
func (t *Tracker) ReserveBlobs(ctx context.Context, keys ...string) error {
	return t.reserve(ctx, keys...)
}

// UseStore gives a process another connection to its database.
func (t *Tracker) UseStore(s *store.Store) { t.store = s }
