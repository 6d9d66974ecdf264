package tracker

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

const (
	maxClockSkew  = time.Minute    // between this node and the database
	maxJobPause   = 24 * time.Hour // after which a job that deletes waits
	jobProbation  = time.Hour      // for which it waits
	maxProbations = maxJobPause    // after which a remembered wait is begun anew
)

// clockAgrees says whether the node's clock is near the database's. Where it is not, what is old
// cannot be told from what is new.
func (t *Tracker) clockAgrees(ctx context.Context) (bool, error) {
	at, own, err := t.databaseClock(ctx)
	if err != nil || !own {
		return err == nil, err
	}
	skew := t.now().Sub(at)
	agrees := skew.Abs() <= maxClockSkew
	t.logSkew(agrees, skew)
	return agrees, nil
}

// logSkew tells the log that the clocks differ, again after an hour of the process's own time, and that
// they agree again.
func (t *Tracker) logSkew(agrees bool, skew time.Duration) {
	t.skew.Lock()
	defer t.skew.Unlock()
	switch told := !t.skew.warned.IsZero(); {
	case agrees && told:
		t.skew.warned = time.Time{}
		t.log.Info("the clock of this node agrees with the database's again")
	case !agrees && (!told || time.Since(t.skew.warned) >= logAgainAfter):
		t.skew.warned = time.Now()
		t.log.Warn("the clock of this node differs from the database's: nothing is purged until they agree",
			"difference", skew.Round(time.Second).String())
	}
}

// suspended returns since when a job waits, nil when it may run. A job that deletes and has not run
// for more than a day waits for an hour: the clock may have jumped, and an operator can still set it.
func (t *Tracker) suspended(j job, known store.Job) *api.Time {
	now := t.now()
	first := known.LastRunAt == nil
	if !j.deletes || first && j.newborn || !first && now.Sub(known.LastRunAt.Time) <= maxJobPause {
		delete(t.suspensions, j.name)
		return nil
	}
	since, seen := t.suspensions[j.name]
	if !seen {
		since = now
		if s := known.SuspendedAt; s != nil && !now.Before(s.Time) && now.Sub(s.Time) <= maxProbations {
			since = now.Add(-now.Sub(s.Time))
		}
		t.suspensions[j.name] = since
		t.log.Warn("a job that deletes has not run for more than a day by this clock: it waits for an hour",
			"job", j.name, "lastRun", known.LastRunAt, "clock", api.At(now), "until", api.At(since.Add(jobProbation)))
	}
	if now.Sub(since) >= jobProbation {
		delete(t.suspensions, j.name)
		return nil
	}
	at := api.At(since)
	return &at
}
