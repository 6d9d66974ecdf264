package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/store/reporters"
)

// SliceReporters is who reads the comments of a slice that are visible to reporters.
type SliceReporters struct {
	Count int    // counted to 100
	Name  string // of the only one; empty for several and for one without a name
}

// SliceReporters returns who reads what the caller answers on a slice.
func (t *Tracker) SliceReporters(ctx context.Context, c access.Caller, sliceID string) (out SliceReporters, err error) {
	if err := c.Allow(api.OpGetSlice); err != nil {
		return out, err
	}
	q := t.access.Read(ctx)
	s, err := c.Slice(q, sliceID)
	if err != nil {
		return out, err
	}
	all, err := readersOf(q, s.ID, 100)
	if out.Count = len(all); out.Count == 1 {
		out.Name = all[0].Name
	}
	return out, err
}

// readersOf returns at most limit pages of a slice whose sources have such pages now.
func readersOf(q access.Queries, sliceID string, limit int) (open []reporters.Page, err error) {
	all, err := q.Reporters().OfSlice(sliceID, limit)
	has := map[string]bool{}
	for _, p := range all {
		if _, known := has[p.SourceID]; !known {
			source, err := q.Sources().Source(p.SourceID)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			has[p.SourceID] = err == nil && source.ReporterPage
		}
		if has[p.SourceID] {
			open = append(open, p)
		}
	}
	return open, err
}

// checkVisible refuses a comment for reporters on a slice that none of them reads.
func checkVisible(q access.Queries, sliceID string, f api.CommentFields) error {
	if !f.VisibleToReporter {
		return nil
	}
	all, err := readersOf(q, sliceID, 100)
	if err == nil && len(all) == 0 {
		err = api.InvalidMember("/visibleToReporter", "no_reporter", "no visitor has a page of this slice")
	}
	return err
}
