package store

import (
	"bugslice/api"
)

// Job is what is known of the former runs of a background job.
type Job struct {
	LastRunAt   *api.Time // nil until it has run once
	SuspendedAt *api.Time // nil while it is not suspended
}

// LeaseJob leases a background job that is due to the caller until the time; ErrNotFound says that it
// is not due, or leased to another node. The lease of a dead node ends by itself.
func (tx *Tx) LeaseJob(name string, now, until api.Time) (Job, error) {
	if _, err := tx.db.exec("INSERT INTO jobs (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", name); err != nil {
		return Job{}, err
	}
	return one(tx.db, func(r row) (Job, error) {
		var ran, suspended *int64
		err := r.Scan(&ran, &suspended)
		return Job{LastRunAt: timeAt(ran), SuspendedAt: timeAt(suspended)}, err
	}, `UPDATE jobs SET leased_until = $3 WHERE name = $1 AND leased_until <= $2 AND next_run_at <= $2
		RETURNING last_run_at, suspended_at`, name, now.UnixMilli(), until.UnixMilli())
}

// Backup is the job that holds the bytes of files which are deleted while it is under way.
const Backup = "backup"

// HoldJob leases a job until the time, whoever else does it, too.
func (tx *Tx) HoldJob(name string, until api.Time) error {
	_, err := tx.db.exec("INSERT INTO jobs (name, leased_until) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET leased_until = $2", name, until.UnixMilli())
	return err
}

// JobHeld says whether a job is leased.
func (q Queries) JobHeld(name string, now api.Time) (bool, error) {
	held, err := list(q.db, func(r row) (n string, err error) { return n, r.Scan(&n) }, "SELECT name FROM jobs WHERE name = $1 AND leased_until > $2", name, now.UnixMilli())
	return len(held) > 0, err
}

// FinishJob ends the lease of a job that has run, and says when it is due again.
func (tx *Tx) FinishJob(name string, ran, next api.Time) error {
	_, err := tx.db.exec("UPDATE jobs SET leased_until = 0, next_run_at = $3, last_run_at = $2, suspended_at = NULL WHERE name = $1",
		name, ran.UnixMilli(), next.UnixMilli())
	return err
}

// SuspendJob ends the lease of a job that has not run, and remembers since when it waits.
func (tx *Tx) SuspendJob(name string, since api.Time) error {
	_, err := tx.db.exec("UPDATE jobs SET leased_until = 0, suspended_at = $2 WHERE name = $1", name, since.UnixMilli())
	return err
}
