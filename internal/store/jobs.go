package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Job is the state of a background job after its former runs.
type Job struct {
	LastRunAt   *api.Time // nil before the first run
	SuspendedAt *api.Time // nil while it is not suspended
}

// LeaseJob leases a due background job until a time; ErrNotFound if the job is not due, or leased. The lease of a
// dead node ends at its time. A job that is not due, or leased, until after the time latest is due: a clock that was
// ahead has stored that.
func (tx *Tx) LeaseJob(name string, now, until, latest api.Time) (Job, error) {
	if err := tx.db.Exec("INSERT INTO jobs (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", name); err != nil {
		return Job{}, err
	}
	return sqldb.One(tx.db, func(r sqldb.Row) (Job, error) {
		var ran, suspended *int64
		err := r.Scan(&ran, &suspended)
		return Job{LastRunAt: sqldb.TimeAt(ran), SuspendedAt: sqldb.TimeAt(suspended)}, err
	}, `UPDATE jobs SET leased_until = $3 WHERE name = $1
			AND (leased_until <= $2 OR leased_until > $4) AND (next_run_at <= $2 OR next_run_at > $4)
		RETURNING last_run_at, suspended_at`, name, now.UnixMilli(), until.UnixMilli(), latest.UnixMilli())
}

// BackupJob is the job that keeps other processes from deleting the bytes of files while it is leased.
const BackupJob = "backup"

// ExtendLease leases a job until a time, even if it is leased.
func (tx *Tx) ExtendLease(name string, until api.Time) error {
	return tx.db.Exec(`INSERT INTO jobs (name, leased_until) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET leased_until = $2`, name, until.UnixMilli())
}

// JobLeased reports whether a job is leased.
func (q Queries) JobLeased(name string, now api.Time) (bool, error) {
	leased, err := sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT name FROM jobs WHERE name = $1 AND leased_until > $2", name, now.UnixMilli())
	return len(leased) > 0, err
}

// RenewLease leases a job until another time, unless its lease until the former one was lost. It returns whether the
// job is leased.
func (tx *Tx) RenewLease(name string, leased, until api.Time) (bool, error) {
	n, err := tx.db.ExecCount("UPDATE jobs SET leased_until = $3 WHERE name = $1 AND leased_until = $2",
		name, leased.UnixMilli(), until.UnixMilli())
	return n > 0, err
}

// FinishJob ends the lease of a job that ran, and stores when it is due again. It changes nothing when the lease was
// lost.
func (tx *Tx) FinishJob(name string, leased, ran, next api.Time) error {
	return tx.db.Exec(`UPDATE jobs SET leased_until = 0, next_run_at = $4, last_run_at = $3, suspended_at = NULL
		WHERE name = $1 AND leased_until = $2`, name, leased.UnixMilli(), ran.UnixMilli(), next.UnixMilli())
}

// SuspendJob ends the lease of a job that did not run, and stores since when it is suspended.
func (tx *Tx) SuspendJob(name string, leased, since api.Time) error {
	return tx.db.Exec("UPDATE jobs SET leased_until = 0, suspended_at = $3 WHERE name = $1 AND leased_until = $2",
		name, leased.UnixMilli(), since.UnixMilli())
}

// ExpiredLeases returns the jobs whose lease has expired before they ended.
func (q Queries) ExpiredLeases(now api.Time) ([]string, error) {
	return sqldb.List(q.db, sqldb.ScanOne[string],
		`SELECT name FROM jobs WHERE leased_until > 0 AND leased_until <= $1 AND next_run_at <= $1
		ORDER BY name`, now.UnixMilli())
}

// CorrectTimes corrects the times later than after, which no correct clock has stored: it makes jobs and pending
// deliveries due, and unblocks webhooks. It returns the number of corrected jobs, and corrects nothing if no job has
// such a time.
func (tx *Tx) CorrectTimes(after, now api.Time) (int64, error) {
	n, err := tx.db.ExecCount("UPDATE jobs SET next_run_at = 0, leased_until = 0 WHERE next_run_at > $1 OR leased_until > $1",
		after.UnixMilli())
	if err != nil || n == 0 {
		return n, err
	}
	if err := tx.db.Exec("UPDATE webhooks SET blocked_until = 0 WHERE blocked_until > $1",
		after.UnixMilli()); err != nil {
		return n, err
	}
	return n, tx.db.Exec("UPDATE deliveries SET due_at = $2, leased_until = NULL WHERE status = 'pending' AND due_at > $1",
		after.UnixMilli(), now.UnixMilli())
}

// DeleteExpired deletes at most limit shares, and as many recording links and invitations, that have expired. It returns the number of the
// kind of which it has deleted more.
func (tx *Tx) DeleteExpired(now api.Time, limit int) (most int, err error) {
	for _, table := range []string{"shares", "recording_links", "invitations"} {
		n, err := tx.db.ExecCount("DELETE FROM "+table+" WHERE id IN (SELECT id FROM "+table+
			" WHERE expires_at <= $1 ORDER BY id LIMIT $2)", now.UnixMilli(), limit)
		if err != nil {
			return most, err
		}
		most = max(most, int(n))
	}
	return most, nil
}
