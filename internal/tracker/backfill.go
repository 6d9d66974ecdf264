package tracker

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// Past is a slice as it was filed at another time: by the demo, or elsewhere.
type Past struct {
	Fields     api.SliceFields
	Reporter   api.Reporter
	FiledAt    time.Time
	ResolvedAt *time.Time // of a resolved or closed one
}

// Backfill files slices of the past in a workspace, oldest first, in one transaction, and
// returns them.
func (o OrganizationOperator) Backfill(ctx context.Context, workspaceID string, past []Past) ([]api.Slice, error) {
	t := o.t
	return write(t, ctx, o.c, "", func(tx *store.Tx, c Caller) ([]api.Slice, error) {
		if err := c.requireAdmin(tx.Queries, workspaceID); err != nil {
			return nil, err
		}
		var filed []api.Slice
		for _, p := range past {
			s := store.Slice{Slice: api.Slice{ID: id.At(id.Slice, p.FiledAt), WorkspaceID: workspaceID, SliceFields: p.Fields, Version: 1}}
			s.CreatedAt = api.At(id.Time(s.ID))
			if err := t.backfill(tx, c, &s, p); err != nil {
				return nil, err
			}
			filed = append(filed, t.show(s))
		}
		return filed, nil
	})
}

func (t *Tracker) backfill(tx *store.Tx, c Caller, s *store.Slice, p Past) error {
	at := s.CreatedAt
	if p.ResolvedAt != nil {
		at = api.At(*p.ResolvedAt)
	}
	s.Reporter = p.Reporter
	return t.insertSlice(tx, c, s, at, store.Terms(s.SliceFields, s.Symptoms))
}
