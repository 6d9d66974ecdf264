package tracker

import (
	"context"

	"bugslice/internal/store"
)

// Reserve reserves keys, as an upload does.
func (t *Tracker) Reserve(ctx context.Context, keys ...string) error { return t.reserve(ctx, keys...) }

// UseStore gives a process another connection to its database.
func (t *Tracker) UseStore(s *store.Store) { t.store = s }
