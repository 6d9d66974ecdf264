package store

import (
	"fmt"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store/sqldb"
)

// Backlog is the deliveries of all webhooks that are not finished.
type Backlog struct {
	Waiting int64     `json:"waiting"` // also those that are retried
	Failed  int64     `json:"failed"`  // after their last attempt
	Oldest  *api.Time `json:"oldest"`  // when the oldest of the waiting ones was queued
}

// Backlog returns the backlog of deliveries. It reads indexes only.
func (q Queries) Backlog() (Backlog, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (b Backlog, err error) {
		var oldest *string
		err = r.Scan(&b.Waiting, &oldest, &b.Failed)
		if oldest != nil {
			at := api.At(id.Time(*oldest))
			b.Oldest = &at
		}
		return b, err
	}, `SELECT w.n, w.oldest, f.n FROM (SELECT count(*) AS n, min(id) AS oldest FROM deliveries WHERE status = 'pending') AS w,
		(SELECT count(*) AS n FROM deliveries WHERE status = 'failed') AS f`)
}

// JobState is a background job as the database records it.
type JobState struct {
	Name        string    `json:"name"`
	LastRunAt   *api.Time `json:"lastRunAt"`
	NextRunAt   *api.Time `json:"nextRunAt"`
	LeasedUntil *api.Time `json:"leasedUntil"`
	SuspendedAt *api.Time `json:"suspendedAt"`
}

// Jobs returns the background jobs by name.
func (q Queries) Jobs() ([]JobState, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (j JobState, err error) {
		var ran, next, leased, suspended *int64
		err = r.Scan(&j.Name, &ran, &next, &leased, &suspended)
		j.LastRunAt, j.NextRunAt, j.LeasedUntil, j.SuspendedAt = sqldb.TimeAt(ran), sqldb.TimeAt(next), sqldb.TimeAt(leased),
			sqldb.TimeAt(suspended)
		return j, err
	}, `SELECT name, last_run_at, NULLIF(next_run_at, 0), NULLIF(leased_until, 0), suspended_at FROM jobs ORDER BY name`)
}

// Sizes are the numbers and sizes of what an instance stores.
type Sizes struct {
	Organizations int64 `json:"organizations"`
	Workspaces    int64 `json:"workspaces"`
	Users         int64 `json:"users"`
	Slices        int64 `json:"slices"`
	Events        int64 `json:"events"`
	Attachments   int64 `json:"attachments"`
	FileBytes     int64 `json:"fileBytes"`
	DatabaseBytes int64 `json:"databaseBytes"`
}

// Sizes counts the records. It reads whole tables.
func (q Queries) Sizes() (Sizes, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (s Sizes, err error) {
		return s, r.Scan(&s.Organizations, &s.Workspaces, &s.Users, &s.Slices, &s.Events, &s.Attachments, &s.FileBytes,
			&s.DatabaseBytes)
	}, `SELECT (SELECT count(*) FROM organizations), (SELECT count(*) FROM workspaces), (SELECT count(*) FROM users),
		(SELECT count(*) FROM slices WHERE deleted_at IS NULL), (SELECT count(*) FROM events), (SELECT count(*) FROM attachments),
		(SELECT CAST(COALESCE(sum(stored), 0) AS BIGINT) FROM attachments), `+q.db.Engine.Size)
}

// Migrations are the number of the newest migration of the database, and of the newest one of this program.
type Migrations struct {
	Database int64 `json:"database"`
	Program  int64 `json:"program"`
}

// Check returns an error when the database has migrations that this program does not know, so that it may have tables
// that the program does not, either.
func (m Migrations) Check() error {
	if m.Database <= m.Program {
		return nil
	}
	return fmt.Errorf("the database is at migration %d, and this program knows %d: use the newer program", m.Database,
		m.Program)
}

// Migrations returns the state of the schema. The database of a first start that was killed may have no migration.
func (q Queries) Migrations() (m Migrations, err error) {
	if m.Program, err = schema.Newest(); err == nil {
		m.Database, err = q.db.Version()
	}
	return m, err
}

// Stats are the connections, the queue and the cache of a store at this moment, and since it was opened.
type Stats struct {
	sqldb.Stats
	CacheHits   int64 // slices that were in the cache
	CacheMisses int64 // slices that were not
	CacheBytes  int
}

// Stats returns the statistics of the store.
func (s *Store) Stats() Stats {
	cached := s.cached.slices
	return Stats{s.db.Stats(), cached.hits.Load(), cached.misses.Load(), cached.size()}
}
