package tracker

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

const (
	maxClockSkew     = time.Minute    // between this node and the database
	maxJobGap        = 24 * time.Hour // between two runs of a job that deletes, without a suspension
	jobSuspension    = time.Hour      // of such a job
	maxSuspensionAge = maxJobGap      // of a suspension in the database; an older one begins again
	maxDelay         = 48 * time.Hour // of a job or a delivery; a clock that was ahead has stored a longer one
)

// clockAgrees reports whether the node's clock is within maxClockSkew of the database's. While it is not, no expired
// data is deleted, because the age of data is not reliable.
func (t *Tracker) clockAgrees(ctx context.Context) (bool, error) {
	databaseTime, hasClock, err := t.databaseClock(ctx)
	if err != nil || !hasClock {
		return err == nil, err
	}
	skew := t.now().Sub(databaseTime)
	agrees := skew.Abs() <= maxClockSkew
	t.logSkew(agrees, skew)
	return agrees, nil
}

// logSkew logs that the clocks differ, once an hour, and that they agree again.
func (t *Tracker) logSkew(agrees bool, skew time.Duration) {
	t.skew.Lock()
	defer t.skew.Unlock()
	switch warned := !t.skew.warnedAt.IsZero(); {
	case agrees && warned:
		t.skew.warnedAt = time.Time{}
		t.log.Info("the clock of this node agrees with the database's again")
	case !agrees && (!warned || time.Since(t.skew.warnedAt) >= logAgainAfter):
		t.skew.warnedAt = time.Now()
		t.log.Warn("the clock of this node differs from the database's: nothing is purged until they agree",
			"difference", skew.Round(time.Second).String())
	}
}

// correctTimes makes the jobs and deliveries due that a clock which was ahead has put off.
func (t *Tracker) correctTimes(ctx context.Context) error {
	jobs, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (int64, error) {
		now := t.clock()
		return tx.CorrectTimes(api.At(now.Add(maxDelay)), now)
	})
	if jobs > 0 {
		t.log.Warn("the clock was ahead: the jobs and deliveries that it has put off are due now", "jobs", jobs)
	}
	return err
}

// suspended returns the start of a job's suspension, nil when the job may run. A job that deletes and has not run for
// more than a day is suspended for an hour: the clock may have jumped, and the operator has time to correct it.
func (t *Tracker) suspended(j job, record store.Job) *api.Time {
	now, all := t.now(), &t.suspensions
	all.Lock()
	defer all.Unlock()
	if !j.deletes || ranRecently(j, record, now) {
		delete(all.since, j.name)
		return nil
	}
	since, known := all.since[j.name]
	if !known {
		since = now
		if s := record.SuspendedAt; s != nil && !now.Before(s.Time) && now.Sub(s.Time) <= maxSuspensionAge {
			since = now.Add(-now.Sub(s.Time)) // with the monotonic clock of now
		}
		all.since[j.name] = since
		if record.LastRunAt != nil { // a job that never ran says nothing about the clock
			all.jumps = append(all.jumps, j.name)
		}
	}
	if now.Sub(since) >= jobSuspension {
		delete(all.since, j.name)
		return nil
	}
	at := api.At(since)
	return &at
}

// logJump logs, in one line, the jobs that were suspended since the last call because the clock may have jumped.
func (t *Tracker) logJump() {
	t.suspensions.Lock()
	jumps := t.suspensions.jumps
	t.suspensions.jumps = nil
	t.suspensions.Unlock()
	if len(jumps) > 0 {
		t.log.Warn("jobs that delete have not run for more than a day by this clock: they wait for an hour; set the clock if it is wrong",
			"jobs", jumps, "clock", t.clock(), "until", api.At(t.now().Add(jobSuspension)))
	}
}

// ranRecently reports whether a job has run within maxJobGap. A job that has never run has not, unless it runs at once.
func ranRecently(j job, record store.Job, now time.Time) bool {
	if record.LastRunAt == nil {
		return j.runsAtOnce
	}
	return now.Sub(record.LastRunAt.Time) <= maxJobGap
}
