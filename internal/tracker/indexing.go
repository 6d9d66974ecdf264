package tracker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// indexJob builds the index of terms: after an upgrade, a restore or bugslice reindex.
var indexJob = job{name: "build the index of reports", work: (*Tracker).advanceIndex}

const (
	indexInterval = 5 * time.Second
	indexLog      = 10 * time.Second // between lines of the log
)

// runIndexing builds the index whenever it is incomplete, until ctx ends.
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
	if _, err := t.store.Read(ctx).IndexBuild(); err != nil {
		return
	}
	t.warn(indexJob.name, t.runJob(ctx, indexJob))
	if _, err := t.store.Read(ctx).IndexBuild(); errors.Is(err, store.ErrNotFound) {
		t.log.Info("the index of reports is complete")
	}
}

// advanceIndex goes on with the index, with lines in the log.
func (t *Tracker) advanceIndex(ctx context.Context) error {
	var logged time.Time
	return t.repeatBatch(ctx, func() (int, error) {
		if now := t.now(); now.Sub(logged) >= indexLog {
			logged = now
			if b, err := t.store.Read(ctx).IndexBuild(); err == nil {
				t.log.Info("building the index of reports", "percent", b.Percent())
			}
		}
		more, err := systemWrite(t, ctx, func(tx *store.Tx) (bool, error) { return tx.AdvanceIndex(jobBatch) })
		if more {
			return jobBatch, err
		}
		return 0, err
	})
}

// whileIndexing returns the problem of a list that waits for the index.
func whileIndexing(e *store.IndexingError) *api.Problem {
	p := api.NewProblem(api.CodeUnavailable, fmt.Sprintf("The index of reports is being built, of which %d %% is complete. Until then there are "+
		"no searches, filters and counts. All reports are listed without filters, and each can be opened and changed.", e.Percent()))
	p.RetryAfter = indexRetry
	return p
}

const indexRetry = 10 * time.Second

// narrow returns the problem of a list or a count that is too broad, which names what would narrow it, and any other error unchanged.
func narrow(err error, in api.SliceFilters, sort string) error {
	if !errors.Is(err, store.ErrTooBroad) {
		return err
	}
	var by []string
	add := func(helps bool, what string) {
		if helps {
			by = append(by, what)
		}
	}
	add(in.WorkspaceID == "", "workspaceId, which selects one workspace")
	add(in.CreatedAfter == nil, "createdAfter, which selects reports of a shorter time")
	add(in.CreatedAfter != nil, "a later createdAfter")
	add(sort != "" && sort != "createdAt", "the order by createdAt")
	add(in.Q != "", "other words in q, which fewer reports have")
	add(len(in.Status) == 0, "status")
	return api.NewProblem(api.CodeTooBroad, "The database needs too much time to find these reports among all. This would narrow the query: "+
		strings.Join(by, "; ")+".")
}
