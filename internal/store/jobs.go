package store

import "bugslice/api"

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

// FinishJob ends the lease and says when the job is due again.
func (tx *Tx) FinishJob(name string, next api.Time) error {
	_, err := tx.exec("UPDATE jobs SET leased_until = 0, next_run_at = $2 WHERE name = $1", name, next.UnixMilli())
	return err
}
