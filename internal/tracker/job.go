package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// job is periodic background work that one node at a time runs under a lease. A job that deletes does not run while the
// clock is unreliable.
type job struct {
	name       string // in the database
	every      time.Duration
	deletes    bool
	runsAtOnce bool // the first run in a database is never suspended
	work       func(t *Tracker, ctx context.Context) error
}

const jobBatch = 100 // rows of one transaction

const (
	usageInterval = 5 * time.Second
	jobInterval   = time.Minute
	jobLease      = 5 * time.Minute
)

// runJob leases a job that is due and runs it, unless it is suspended or leased by another node. A job that fails runs again
// when its lease has expired.
func (t *Tracker) runJob(ctx context.Context, j job) error {
	record, err := systemWrite(t, ctx, func(tx *store.Tx) (store.Job, error) {
		now := t.clock()
		return tx.LeaseJob(j.name, now, api.At(now.Add(jobLease)))
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if since := t.suspended(j, record); since != nil {
		return systemChange(t, ctx, func(tx *store.Tx) error { return tx.SuspendJob(j.name, *since) })
	}
	if err := j.work(t, ctx); err != nil {
		return err
	}
	return systemChange(t, ctx, func(tx *store.Tx) error {
		now := t.clock()
		return tx.FinishJob(j.name, now, api.At(now.Add(j.every)))
	})
}

// repeatBatch calls batch until it processes fewer rows than a batch has, for at most half the lease of a job.
func (t *Tracker) repeatBatch(ctx context.Context, batch func() (int, error)) error {
	end := t.now().Add(jobLease / 2)
	for n := jobBatch; n == jobBatch && t.now().Before(end) && ctx.Err() == nil; {
		var err error
		if n, err = batch(); err != nil {
			return err
		}
	}
	return nil
}
