package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/internal/access"
	"bugslice/internal/store"
)

// indexJob builds the index of terms: after an upgrade, a restore or bugslice admin reindex.
var indexJob = job{name: "build the index of reports", work: (*Tracker).advanceIndex}

const (
	indexInterval    = 5 * time.Second
	indexLogInterval = 10 * time.Second // between lines of the log
)

// runIndexing builds the index whenever it is incomplete, and keeps it quick, until ctx ends.
func (t *Tracker) runIndexing(ctx context.Context) {
	tick := time.NewTicker(indexInterval)
	defer tick.Stop()
	for {
		t.buildIndex(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// buildIndex continues to build the index, or merges its parts when it is complete.
func (t *Tracker) buildIndex(ctx context.Context) {
	switch _, err := t.access.Read(ctx).IndexBuild(); {
	case errors.Is(err, store.ErrNotFound):
		t.warn("merge the index of reports", access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return tx.MergeIndex()
		}))
		return
	case err != nil:
		return
	}
	t.warn(indexJob.name, t.runJob(ctx, indexJob))
	if _, err := t.access.Read(ctx).IndexBuild(); errors.Is(err, store.ErrNotFound) {
		t.log.Info("the index of reports is complete")
	}
}

// advanceIndex builds the index of reports batch by batch, and logs its progress every indexLogInterval.
func (t *Tracker) advanceIndex(ctx context.Context) error {
	var logged time.Time
	return t.repeatBatch(ctx, func() (int, error) {
		if now := t.now(); now.Sub(logged) >= indexLogInterval {
			logged = now
			if b, err := t.access.Read(ctx).IndexBuild(); err == nil {
				t.log.Info("building the index of reports", "percent", b.Percent())
			}
		}
		more, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (bool, error) {
			return tx.AdvanceIndex(jobBatch)
		})
		if more { // a full batch makes repeatBatch continue
			return jobBatch, err
		}
		return 0, err
	})
}
