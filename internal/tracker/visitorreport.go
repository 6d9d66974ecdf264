package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// receivedRetention is the time in which a report that a browser sends again is taken once. A browser keeps one for 7 days.
const receivedRetention = 8 * 24 * time.Hour

// VisitorReport is a report of a visitor that was filed.
type VisitorReport struct {
	SliceID    string
	Occurrence int64
}

// FileVisitorReport is CreateSlice for a visitor of a source, into its space, unless that was deleted. It returns what a visitor may
// not know: whether the report is an occurrence of a slice that exists.
func (t *Tracker) FileVisitorReport(ctx context.Context, c access.Caller, spaceID *string, v input.Valid[api.CreateSlice]) (
	VisitorReport, error,
) {
	in, err := v.Value(c.Allow(api.OpCreateSlice))
	if err != nil {
		return VisitorReport{}, err
	}
	if err := checkFiling(c, in); err != nil {
		return VisitorReport{}, err
	}
	if spaceID != nil {
		_, err := t.access.Read(ctx).Space(c.WorkspaceID, *spaceID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return VisitorReport{}, err
		}
		if err == nil {
			in.Body.SpaceID = spaceID
		}
	}
	out, _, err := t.fileSlice(ctx, c, in)
	return VisitorReport{SliceID: out.ID, Occurrence: out.OccurrenceCount}, err
}
