package store

import (
	"cmp"
	"maps"
	"slices"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// releaseKey is the primary key of a row of releases.
type releaseKey struct{ workspaceID, name string }

func (a releaseKey) compare(b releaseKey) int {
	return cmp.Or(cmp.Compare(a.workspaceID, b.workspaceID), cmp.Compare(a.name, b.name))
}

// releaseTally is a change of a row of releases. The times are nil when no report has named the release.
type releaseTally struct {
	firstSeen, lastSeen   *int64
	first, reports, fixed int64
}

func (t *releaseTally) see(first, last int64) {
	if t.firstSeen == nil || first < *t.firstSeen {
		t.firstSeen = &first
	}
	if t.lastSeen == nil || last > *t.lastSeen {
		t.lastSeen = &last
	}
}

// hasSameReleases reports whether two states of a slice add the same to the rows of releases.
func (c counted) hasSameReleases(d counted) bool {
	return c.exists == d.exists && c.release == d.release && c.fixedIn == d.fixedIn &&
		slices.Equal(c.seen, d.seen)
}

// eachRelease calls add with each release that a slice names, and returns nothing for no slice.
func (c counted) eachRelease(add func(name string, t releaseTally)) {
	if !c.exists {
		return
	}
	for _, r := range c.seen {
		t := releaseTally{reports: 1, first: sqldb.Flag(r.Name == c.release)}
		t.see(r.First, r.Last)
		add(r.Name, t)
	}
	if c.fixedIn != "" {
		add(c.fixedIn, releaseTally{fixed: 1})
	}
}

// changedReleases returns the changes of the rows that count releases.
func changedReleases(recounts []recount) map[releaseKey]releaseTally {
	changes := map[releaseKey]releaseTally{}
	for _, r := range recounts {
		if r.before.hasSameReleases(*r.after) {
			continue
		}
		r.before.eachRelease(func(name string, t releaseTally) {
			k := releaseKey{r.workspaceID, name}
			c := changes[k]
			c.first, c.reports, c.fixed = c.first-t.first, c.reports-t.reports, c.fixed-t.fixed
			changes[k] = c
		})
		r.after.eachRelease(func(name string, t releaseTally) {
			k := releaseKey{r.workspaceID, name}
			c := changes[k]
			c.first, c.reports, c.fixed = c.first+t.first, c.reports+t.reports, c.fixed+t.fixed
			if t.firstSeen != nil {
				c.see(*t.firstSeen, *t.lastSeen)
			}
			changes[k] = c
		})
	}
	maps.DeleteFunc(changes, func(_ releaseKey, t releaseTally) bool { return t == releaseTally{} })
	return changes
}

// writeReleases writes the changes of releases, in the order of their keys, and deletes those that no slice names. A
// deletion leaves the times as they are, because other reports of the time may remain.
func writeReleases(db *sqldb.Executor, recounts []recount) error {
	changes := changedReleases(recounts)
	rows := make([][]any, 0, len(changes))
	for _, k := range slices.SortedFunc(maps.Keys(changes), releaseKey.compare) {
		t := changes[k]
		rows = append(rows, []any{k.workspaceID, k.name, t.firstSeen, t.lastSeen, t.first, t.reports, t.fixed})
	}
	var unnamed []releaseKey
	err := db.EachTable("workspace_id TEXT, name TEXT, first_seen_at BIGINT, last_seen_at BIGINT, first_reports BIGINT, "+
		"reports BIGINT, fixed_reports BIGINT", rows, func(from string, args []any) error {
		stored, err := sqldb.List(db, scanRelease, "INSERT INTO releases ("+releaseColumns+") SELECT "+releaseColumns+
			" FROM "+from+` WHERE 1 = 1
			ON CONFLICT (workspace_id, name) DO UPDATE SET
				first_seen_at = CASE WHEN releases.reports + excluded.reports > 0 THEN COALESCE(CASE WHEN excluded.first_seen_at <
					releases.first_seen_at THEN excluded.first_seen_at ELSE releases.first_seen_at END, excluded.first_seen_at) END,
				last_seen_at = CASE WHEN releases.reports + excluded.reports > 0 THEN COALESCE(CASE WHEN excluded.last_seen_at >
					releases.last_seen_at THEN excluded.last_seen_at ELSE releases.last_seen_at END, excluded.last_seen_at) END,
				first_reports = releases.first_reports + excluded.first_reports,
				reports = releases.reports + excluded.reports, fixed_reports = releases.fixed_reports + excluded.fixed_reports
			RETURNING `+releaseColumns, args...)
		for _, r := range stored {
			if r.SeenCount == 0 && r.FixedCount == 0 {
				unnamed = append(unnamed, releaseKey{r.workspaceID, r.Name})
			}
		}
		return err
	})
	for _, k := range unnamed {
		if err == nil {
			err = db.Exec(`DELETE FROM releases WHERE workspace_id = $1 AND name = $2 AND reports = 0 AND fixed_reports = 0`,
				k.workspaceID, k.name)
		}
	}
	return err
}

// releaseRow is a row of releases.
type releaseRow struct {
	api.Release
	workspaceID string
}

func scanRelease(r sqldb.Row) (v releaseRow, err error) {
	var first, last *int64
	err = r.Scan(&v.workspaceID, &v.Name, &first, &last, &v.FirstSeenCount, &v.SeenCount, &v.FixedCount)
	v.FirstSeenAt, v.LastSeenAt = orNoTime(first), orNoTime(last)
	return v, err
}

func orNoTime(millis *int64) *api.Time {
	if millis == nil {
		return nil
	}
	return new(api.FromMillis(*millis))
}

const releaseColumns = "workspace_id, name, first_seen_at, last_seen_at, first_reports, reports, fixed_reports"

// Releases returns at most limit releases of a workspace: those that no report names yet, and those that were seen
// last.
func (q Queries) Releases(workspaceID string, limit int) ([]api.Release, error) {
	scan := func(r sqldb.Row) (api.Release, error) {
		row, err := scanRelease(r)
		return row.Release, err
	}
	return sqldb.List(q.db, scan, "SELECT "+releaseColumns+` FROM releases WHERE workspace_id = $1
		ORDER BY CASE WHEN last_seen_at IS NULL THEN 0 ELSE 1 END, last_seen_at DESC, name LIMIT $2`, workspaceID, limit)
}
