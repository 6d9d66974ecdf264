package store

import (
	"database/sql"

	"bugslice/api"
)

// LeaseJob says whether the background job is due and now leased to the caller until the
// time. Of several nodes one gets it; the lease of a dead one ends by itself.
func (tx *Tx) LeaseJob(name string, now, until api.Time) (bool, error) {
	if _, err := tx.exec("INSERT INTO jobs (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", name); err != nil {
		return false, err
	}
	n, err := tx.exec("UPDATE jobs SET leased_until = $3 WHERE name = $1 AND leased_until <= $2 AND next_run_at <= $2",
		name, now.UnixMilli(), until.UnixMilli())
	return n == 1, err
}

// Backup is the job that holds the bytes of files which are deleted while it is under way.
const Backup = "backup"

// HoldJob leases a job until the time, whoever else does it, too.
func (tx *Tx) HoldJob(name string, until api.Time) error {
	_, err := tx.exec("INSERT INTO jobs (name, leased_until) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET leased_until = $2", name, until.UnixMilli())
	return err
}

// JobHeld says whether a job is leased.
func (tx *Tx) JobHeld(name string, now api.Time) (bool, error) {
	held, err := list(tx, func(rows *sql.Rows) (n string, err error) { return n, rows.Scan(&n) }, "SELECT name FROM jobs WHERE name = $1 AND leased_until > $2", name, now.UnixMilli())
	return len(held) > 0, err
}

// FinishJob ends the lease and says when the job is due again.
func (tx *Tx) FinishJob(name string, next api.Time) error {
	_, err := tx.exec("UPDATE jobs SET leased_until = 0, next_run_at = $2 WHERE name = $1", name, next.UnixMilli())
	return err
}
