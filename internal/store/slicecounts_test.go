package store_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
)

// TestCountsAreBounded: a value is counted to 1,000, among however many slices with one of some statuses. With other
// filters, and with more than 4,000 counts of a value and a status, the slices of the most selective filter, or those
// that several select together, are all examined when they are at most 3,000. Otherwise the newest 1,000 are, and
// each count is a lower bound.
func TestCountsAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		db, _ := rawDatabase(t, o)
		_, err := db.Exec(`INSERT INTO slices (id, workspace_id, number, summary, status, priority, severity, labels, reporter_type, reporter_name,
				environment, metadata, duplicate_of_id, created_at, updated_at)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10900)
			SELECT 'slc_' || (100000 + i), CAST($1 AS TEXT), i, 's', CASE WHEN i <= 1001 THEN 'closed' ELSE 'open' END,
				CASE WHEN i <= 1000 THEN 'low' END, CASE WHEN i <= 3 THEN 'minor' END, '', 'user', 'u',
				'{"release":"r' || (i % 4100) || '","os":"' || (i % 2) || '","browser":"' || CASE WHEN i <= 5400 THEN 'b' ELSE 'c' END || '"}',
				'', CASE WHEN i > 8000 THEN 'slc_108000' WHEN i > 1 THEN 'slc_100001' END, 0, i FROM n`, workspace)
		must(t, err)
		_, err = db.Exec("INSERT INTO pending_backfills (name) VALUES ('statistics')")
		must(t, err)
		buildIndex(t, s)
		_, err = store.Migrate(t.Context(), o)
		must(t, err)
		count := func(f store.SliceFilter, by string) (map[string]store.SliceCount, bool) {
			f.Workspaces = []string{workspace}
			counts, complete, err := s.Read(t.Context()).CountSlices(f, by)
			must(t, err)
			all := map[string]store.SliceCount{}
			for _, c := range counts {
				value := ""
				if c.Value != nil {
					value = *c.Value
				}
				all[value] = store.SliceCount{Count: c.Count, More: c.More}
			}
			return all, complete
		}
		wantCounts := func(f store.SliceFilter, by string, complete bool, want map[string]store.SliceCount) {
			t.Helper()
			got, c := count(f, by)
			if c != complete {
				t.Errorf("%s: complete %t", by, c)
			}
			for value, n := range want {
				if got[value] != n {
					t.Errorf("%s %q: %v, want %v", by, value, got[value], n)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: %v, want %v", by, got, want)
			}
		}
		type values = map[string]store.SliceCount
		open, minor := store.SliceFilter{Statuses: []api.Status{api.Open}},
			store.SliceFilter{Severities: []api.SeverityFilter{"minor"}}
		wantCounts(store.SliceFilter{}, store.ByStatus, true,
			values{"open": {Count: 1000, More: true}, "closed": {Count: 1000, More: true}})
		wantCounts(store.SliceFilter{}, store.ByPriority, true,
			values{"low": {Count: 1000}, "": {Count: 1000, More: true}})
		wantCounts(store.SliceFilter{}, store.ByLabel, true, values{"": {Count: 1000, More: true}})
		wantCounts(open, store.BySeverity, true, values{"": {Count: 1000, More: true}})
		wantCounts(store.SliceFilter{Assignees: []string{store.NoneValue}}, store.BySeverity, true,
			values{"minor": {Count: 3}, "": {Count: 1000, More: true}})
		wantCounts(store.SliceFilter{Statuses: []api.Status{api.Closed}, Assignees: []string{store.NoneValue}},
			store.BySeverity, true,
			values{"minor": {Count: 3}, "": {Count: 998}})
		wantCounts(store.SliceFilter{DuplicatesOf: []string{"slc_108000"}}, store.ByStatus, true,
			values{"open": {Count: 1000, More: true}})
		wantCounts(store.SliceFilter{DuplicatesOf: []string{"slc_100001"}}, store.BySeverity, false,
			values{"": {Count: 1000, More: true}})
		together := store.SliceFilter{Texts: map[string][]string{"os": {"0"}, "browser": {"b"}}}
		wantCounts(together, store.ByStatus, true, values{"closed": {Count: 500}, "open": {Count: 1000, More: true}})
		wantCounts(minor, store.ByStatus, true, values{"closed": {Count: 3}})
		if got, complete := count(store.SliceFilter{}, store.ByRelease); complete || len(got) < 1000 ||
			!got["r2400"].More {
			t.Errorf("by release: complete %t, %d values, %v", complete, len(got), got["r2400"])
		}
	})
}
