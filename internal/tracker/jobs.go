package tracker

import (
	"context"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// A job is background work that one node at a time does, in steps of one short transaction.
// step returns how many rows it handled; it is called again until there are none.
type job struct {
	name  string
	every time.Duration
	step  func(t *Tracker, tx *store.Tx) (int, error)
}

const jobBatch = 100

var jobs = []job{
	{"purge deleted slices", time.Hour, func(t *Tracker, tx *store.Tx) (int, error) {
		return tx.PurgeSlices(api.At(t.now().Add(-deletedKept)), api.At(t.now().Add(unreferencedKept)), jobBatch)
	}},
	{"forget idempotency keys", 10 * time.Minute, func(t *Tracker, tx *store.Tx) (int, error) {
		return tx.ForgetAnswers(api.At(t.now().Add(-answersKept)), jobBatch)
	}},
	{"forget deliveries", time.Hour, func(t *Tracker, tx *store.Tx) (int, error) {
		return tx.ForgetDeliveries(api.At(t.now().Add(-t.kept)), jobBatch)
	}},
	{"purge deleted webhooks", time.Minute, func(_ *Tracker, tx *store.Tx) (int, error) { return tx.PurgeWebhooks(jobBatch) }},
	{"tell of keys that expire", 10 * time.Minute, (*Tracker).tellExpiring},
}

const (
	usageEvery = 5 * time.Second
	jobsEvery  = time.Minute
	jobLease   = 5 * time.Minute
)

// Run does the background work until ctx ends, and stores the last uses of keys then.
func (t *Tracker) Run(ctx context.Context) {
	usage, due := time.NewTicker(usageEvery), time.NewTicker(jobsEvery)
	defer usage.Stop()
	defer due.Stop()
	var work sync.WaitGroup
	work.Go(func() { t.watch(ctx) })
	work.Go(func() { t.runRemoval(ctx) })
	defer work.Wait()
	for {
		select {
		case <-usage.C:
			t.warn("store the last use of keys", t.flushUsage(ctx))
		case <-due.C:
			t.RunJobs(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			t.warn("store the last use of keys", t.flushUsage(last))
			cancel()
			return
		}
	}
}

// RunJobs does every job that is due.
func (t *Tracker) RunJobs(ctx context.Context) {
	for _, j := range jobs {
		t.warn(j.name, t.runJob(ctx, j))
	}
}

// runJob does a job in steps, for at most half its lease.
func (t *Tracker) runJob(ctx context.Context, j job) error {
	return t.alone(ctx, j.name, j.every, func() error {
		end := t.now().Add(jobLease / 2)
		for n := jobBatch; n == jobBatch && t.now().Before(end) && ctx.Err() == nil; {
			var err error
			n, err = background(t, ctx, func(tx *store.Tx) (int, error) { return j.step(t, tx) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// alone does work that is due, on one node at a time.
func (t *Tracker) alone(ctx context.Context, name string, every time.Duration, work func() error) error {
	leased, err := background(t, ctx, func(tx *store.Tx) (bool, error) {
		now := t.clock()
		return tx.LeaseJob(name, now, api.At(now.Add(jobLease)))
	})
	if err != nil || !leased {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	return task(t, ctx, func(tx *store.Tx) error { return tx.FinishJob(name, api.At(t.now().Add(every))) })
}

func (t *Tracker) warn(what string, err error) {
	if err != nil {
		t.log.Warn("background work failed; it is tried again", "work", what, "error", err)
	}
}
