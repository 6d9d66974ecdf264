package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
	"context"
	"errors"
	"time"
)

// A job is background work that one node at a time does. One that deletes does nothing under a clock
// that is not to be trusted.
type job struct {
	name    string
	every   time.Duration
	deletes bool
	newborn bool // its first run finds nothing that is old, so it does not wait for it
	work    func(t *Tracker, ctx context.Context) error
}

const jobBatch = 100

const (
	usageEvery = 5 * time.Second
	jobsEvery  = time.Minute
	jobLease   = 5 * time.Minute
)

// runJob does a job that is due, on one node at a time, unless it is suspended.
func (t *Tracker) runJob(ctx context.Context, j job) error {
	known, err := background(t, ctx, func(tx *store.Tx) (store.Job, error) {
		now := t.clock()
		return tx.LeaseJob(j.name, now, api.At(now.Add(jobLease)))
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if since := t.suspended(j, known); since != nil {
		return task(t, ctx, func(tx *store.Tx) error { return tx.SuspendJob(j.name, *since) })
	}
	if err := j.work(t, ctx); err != nil {
		return err
	}
	return task(t, ctx, func(tx *store.Tx) error {
		now := t.clock()
		return tx.FinishJob(j.name, now, api.At(now.Add(j.every)))
	})
}
