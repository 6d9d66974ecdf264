package tracker

import (
	"context"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

var jobs = []job{
	{name: "purge deleted slices", every: time.Hour, deletes: true, work: inSteps(func(t *Tracker, tx *store.Tx) (int, error) {
		return tx.PurgeSlices(api.At(t.now().Add(-deletedRetention)), api.At(t.now().Add(unreferencedRetention)), jobBatch)
	})},
	{name: "forget idempotency keys", every: 10 * time.Minute, deletes: true, work: inSteps(func(t *Tracker, tx *store.Tx) (int, error) {
		return tx.ForgetAnswers(api.At(t.now().Add(-responseRetention)), jobBatch)
	})},
	{name: "forget deliveries", every: time.Hour, deletes: true, work: inSteps(func(t *Tracker, tx *store.Tx) (int, error) {
		return tx.ForgetDeliveries(api.At(t.now().Add(-t.eventRetention)), jobBatch)
	})},
	{name: "purge deleted webhooks", every: time.Minute, deletes: true,
		work: inSteps(func(_ *Tracker, tx *store.Tx) (int, error) { return tx.PurgeWebhooks(jobBatch) })},
	{name: "tell of keys that expire", every: 10 * time.Minute, work: inSteps((*Tracker).notifyExpiring)},
}

// Run does the background work until ctx ends, and stores the last uses of keys then.
func (t *Tracker) Run(ctx context.Context) {
	usage, due := time.NewTicker(usageEvery), time.NewTicker(jobsEvery)
	defer usage.Stop()
	defer due.Stop()
	var work sync.WaitGroup
	work.Go(func() { t.pollSequences(ctx) })
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
	agrees, err := t.clockAgrees(ctx)
	t.warn("compare the clock with the database's", err)
	for _, j := range jobs {
		if agrees || !j.deletes {
			t.warn(j.name, t.runJob(ctx, j))
		}
	}
}

// inSteps makes a job of short transactions, for at most half its lease. step returns how many rows
// it handled; it is called again until it has handled fewer than a batch.
func inSteps(step func(*Tracker, *store.Tx) (int, error)) func(*Tracker, context.Context) error {
	return func(t *Tracker, ctx context.Context) error {
		end := t.now().Add(jobLease / 2)
		for n := jobBatch; n == jobBatch && t.now().Before(end) && ctx.Err() == nil; {
			var err error
			n, err = background(t, ctx, func(tx *store.Tx) (int, error) { return step(t, tx) })
			if err != nil {
				return err
			}
		}
		return nil
	}
}
