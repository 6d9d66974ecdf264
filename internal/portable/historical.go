package portable

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// HistoricalSlice is a slice that was filed at another time: by the demo, or in another program.
type HistoricalSlice struct {
	Fields     api.SliceFields
	Reporter   api.Reporter
	FiledAt    time.Time
	Position   int        // among those of the same time, up to 4095
	ResolvedAt *time.Time // of a resolved or closed one
}

// Backfill files historical slices in a workspace, oldest first, in one transaction, and returns them without their
// addresses.
func Backfill(ctx context.Context, o tracker.OrganizationOperator, workspaceID string,
	all []HistoricalSlice,
) (filed []api.Slice, err error) {
	err = o.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		if err := tx.CheckWorkspace(workspaceID); err != nil {
			return err
		}
		filed = nil
		for _, h := range all {
			s := h.slice(workspaceID)
			if err := tx.InsertHistoricalSlice(&s, h.ResolvedAt); err != nil {
				return err
			}
			filed = append(filed, s.Slice)
		}
		return nil
	})
	return filed, err
}

// slice returns the slice with an id of the time when it was filed.
func (h HistoricalSlice) slice(workspaceID string) store.Slice {
	sliceID := id.Ordered(id.Slice, h.FiledAt, h.Position)
	s := store.Slice{Slice: api.Slice{ID: sliceID, WorkspaceID: workspaceID, SliceFields: h.Fields, Version: 1}}
	s.Reporter, s.CreatedAt = h.Reporter, api.At(id.Time(s.ID))
	return s
}
