package tracker

import (
	"context"
	"time"

	"bugslice/internal/store"
)

// indexJob builds the index of terms: after an upgrade, a restore or bugslice reindex.
var indexJob = job{name: "build the index of reports",
	work: inBatches(func(_ *Tracker, tx *store.Tx) (int, error) { return tx.AdvanceIndex(jobBatch) })}

const indexInterval = 5 * time.Second

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

// buildIndex goes on with the index, unless it is complete.
func (t *Tracker) buildIndex(ctx context.Context) {
	if _, err := t.store.Read(ctx).IndexBuild(); err == nil {
		t.warn(indexJob.name, t.runJob(ctx, indexJob))
		return
	}
	t.warn("merge the index of reports", systemChange(t, ctx, (*store.Tx).MergeIndex))
}
