package tracker

import (
	"context"
	"errors"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
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
	jobLease      = 15 * time.Second // of a job that runs; it is renewed every jobRenewal
	jobRenewal    = 5 * time.Second
	jobRetry      = 5 * time.Minute   // after a run that failed
	maxJobRun     = 150 * time.Second // of a job that processes batches
)

// runJob leases a job that is due and runs it, unless it is suspended or leased by another node. A job whose node
// dies continues when its lease has expired, and one that fails after jobRetry.
func (t *Tracker) runJob(ctx context.Context, j job) error {
	now := t.clock()
	leased, latest := api.At(now.Add(jobLease)), api.At(now.Add(max(j.every, jobRetry)+maxClockSkew))
	record, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (store.Job, error) {
		return tx.LeaseJob(j.name, now, leased, latest)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if since := t.suspended(j, record); since != nil {
		return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return tx.SuspendJob(j.name, leased, *since)
		})
	}
	leased, err = t.runLeased(ctx, j, leased)
	if err != nil {
		_, _, renewal := t.renewLease(ctx, j, leased, jobRetry)
		return errors.Join(err, renewal)
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		now := t.clock()
		return tx.FinishJob(j.name, leased, now, api.At(now.Add(j.every)))
	})
}

// runLeased runs a job and renews its lease until it ends. The context of a job that has lost its lease ends. It
// returns the last lease.
func (t *Tracker) runLeased(ctx context.Context, j job, leased api.Time) (api.Time, error) {
	working, stop := context.WithCancel(ctx)
	var renewals sync.WaitGroup
	renewals.Go(func() {
		defer stop()
		tick := time.NewTicker(jobRenewal)
		defer tick.Stop()
		for held := true; held; {
			select {
			case <-tick.C:
				var err error
				leased, held, err = t.renewLease(working, j, leased, jobLease)
				if working.Err() == nil {
					t.warn("renew the lease of "+j.name, err)
				}
			case <-working.Done():
				return
			}
		}
	})
	err := j.work(t, working)
	stop()
	renewals.Wait()
	return leased, err
}

// renewLease extends the lease of a job to a time from now, and returns it. It returns false when another node has
// the lease, and the former lease with an error.
func (t *Tracker) renewLease(ctx context.Context, j job, leased api.Time, d time.Duration) (api.Time, bool, error) {
	until := api.At(t.now().Add(d))
	held, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (bool, error) {
		return tx.RenewLease(j.name, leased, until)
	})
	if err != nil || !held {
		return leased, err != nil, err
	}
	return until, true, nil
}

// repeatBatch calls batch until it processes fewer rows than a batch has, for at most maxJobRun.
func (t *Tracker) repeatBatch(ctx context.Context, batch func() (int, error)) error {
	end := t.now().Add(maxJobRun)
	for n := jobBatch; n == jobBatch && t.now().Before(end) && ctx.Err() == nil; {
		var err error
		if n, err = batch(); err != nil {
			return err
		}
	}
	return nil
}
