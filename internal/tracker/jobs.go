package tracker

import (
	"context"
	"slices"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
)

// jobs are the periodic jobs. A name is a key in the database: a renamed job counts as one that has never run.
var jobs = []job{
	{name: "purge deleted slices", every: time.Hour, deletes: true, work: inBatches((*Tracker).purgeSlices)},
	{name: "forget idempotency keys", every: 10 * time.Minute, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			return tx.DeleteExpiredResponses(api.At(t.now().Add(-responseRetention)), jobBatch)
		})},
	{name: "forget deliveries", every: time.Hour, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			return tx.DeleteExpiredDeliveries(api.At(t.now().Add(-t.eventRetention)), jobBatch)
		})},
	{name: "purge deleted webhooks", every: time.Minute, deletes: true,
		work: inBatches(func(_ *Tracker, tx *access.Tx) (int, error) { return tx.PurgeWebhooks(jobBatch) })},
	{name: "purge refused calls", every: time.Hour, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			return tx.DeleteExpiredRefusals(api.At(t.now().Add(-refusalRetention)), jobBatch)
		})},
	{name: "delete expired sessions", every: time.Hour, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			l := t.sessionLimits
			return tx.DeleteExpiredSessions(api.At(t.now().Add(-l.Lifetime)), api.At(t.now().Add(-l.Idle)), jobBatch)
		})},
	{name: "delete sign-ins that were not finished", every: time.Hour, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			return tx.Factors().DeleteExpired(t.clock(), jobBatch)
		})},
	{name: "delete expired shares and invitations", every: time.Hour, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) { return tx.DeleteExpired(t.clock(), jobBatch) })},
	{name: "revoke keys that no program has fetched", every: time.Minute,
		work: inBatches((*Tracker).endUnredeemedKeys)},
	{name: "delete expired devices", every: time.Hour, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			return tx.DeleteExpiredDevices(api.At(t.now().Add(-endedDeviceAge)), jobBatch)
		})},
	{name: "delete unused clients", every: time.Hour, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			return tx.DeleteUnusedClients(api.At(t.now().Add(-UnusedClientAge)), jobBatch)
		})},
	{name: "delete used answers of providers", every: time.Hour, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			return tx.Identities().DeleteExpired(t.clock(), jobBatch)
		})},
	{name: "delete expired uploads", every: 10 * time.Minute, deletes: true,
		work: inBatches(func(t *Tracker, tx *access.Tx) (int, error) {
			return tx.Uploads().DeleteExpired(t.clock(), api.At(t.now().Add(-receivedRetention)), jobBatch)
		})},
	{name: "delete counts of tests", every: time.Hour, deletes: true, work: inBatches((*Tracker).deleteTestDays)},
	{name: "delete reports that nobody accepted", every: time.Hour, deletes: true,
		work: inBatches((*Tracker).deleteSubmissions)},
	{name: "wake snoozed notices", every: time.Minute, work: inBatches((*Tracker).wakeNotices)},
	{name: "delete old notices", every: time.Hour, deletes: true, work: inBatches((*Tracker).deleteNotices)},
	{name: "delete failed mails", every: time.Hour, deletes: true, work: inBatches((*Tracker).deleteFailedMails)},
	{name: "delete workspaces", every: time.Minute, deletes: true, work: (*Tracker).deleteWorkspaces},
	{name: "erase users", every: time.Minute, work: (*Tracker).completeErasures},
	{name: "detach slices of deleted spaces", every: time.Minute, work: inBatches((*Tracker).detachFromSpace)},
	{name: "unassign former members", every: time.Minute, work: inBatches((*Tracker).unassignFormer)},
	{name: "tell of keys that expire", every: 10 * time.Minute, work: inBatches((*Tracker).notifyExpiring)},
}

// JobNames returns the names of the periodic jobs.
func JobNames() []string { return convert(jobs, func(j job) string { return j.name }) }

// Run does the background work until ctx ends.
func (t *Tracker) Run(ctx context.Context) {
	usage, due := time.NewTicker(usageInterval), time.NewTicker(jobInterval)
	defer usage.Stop()
	defer due.Stop()
	var work sync.WaitGroup
	work.Go(func() { t.pollSequences(ctx) })
	work.Go(func() { t.runLive(ctx) })
	work.Go(func() { t.checkBlobs(ctx) })
	defer work.Wait()
	if t.readOnly {
		<-ctx.Done()
		return
	}
	work.Go(func() { t.runRemoval(ctx) })
	work.Go(func() { t.runErasures(ctx) })
	work.Go(func() { t.runIndexing(ctx) })
	work.Go(func() { t.runNotifier(ctx) })
	t.ResumeJobs(ctx)
	for {
		select {
		case <-usage.C:
			t.warn("store uses and failures", t.flush(ctx))
			t.ResumeJobs(ctx)
		case <-due.C:
			t.RunJobs(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			t.warn("store uses and failures", t.flush(last))
			cancel()
			return
		}
	}
}

// RunJobs runs every job that is due.
func (t *Tracker) RunJobs(ctx context.Context) { t.runJobs(ctx, jobs) }

// ResumeJobs runs the jobs that nodes have left when they died.
func (t *Tracker) ResumeJobs(ctx context.Context) {
	expired, err := t.access.Read(ctx).ExpiredLeases(t.clock())
	t.warn("find the jobs of dead nodes", err)
	left := slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return !slices.Contains(expired, j.name) })
	if len(left) > 0 {
		t.runJobs(ctx, left)
	}
}

func (t *Tracker) runJobs(ctx context.Context, jobs []job) {
	agrees, err := t.clockAgrees(ctx)
	t.warn("compare the clock with the database's", err)
	if agrees {
		t.warn("correct the times of jobs", t.correctTimes(ctx))
	}
	for _, j := range jobs {
		if agrees || !j.deletes {
			err := t.runJob(ctx, j)
			t.warn(j.name, err)
			t.jobFailures.note(j.name, err)
		}
	}
	t.logJump()
}

// inBatches returns the work of a job that processes rows in short transactions. batch returns how many rows it has
// processed.
func inBatches(batch func(*Tracker, *access.Tx) (int, error)) func(*Tracker, context.Context) error {
	return func(t *Tracker, ctx context.Context) error {
		return t.repeatBatch(ctx, func() (int, error) {
			return access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (int, error) { return batch(t, tx) })
		})
	}
}
