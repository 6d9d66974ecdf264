package store_test

import (
	"math/rand/v2"
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
)

// fillCounted fills a workspace, $1, with 3,000 slices of which some members have values. $2 and $3 are spaces.
const fillCounted = `INSERT INTO slices (id, workspace_id, number, space_id, summary, status, priority, severity, labels, reporter_type,
		reporter_name, environment, metadata, created_at, updated_at, deleted_at)
	SELECT 'slc_' || CAST(100000 + i AS TEXT), CAST($1 AS TEXT), i, CASE i % 5 WHEN 0 THEN CAST($2 AS TEXT) WHEN 1 THEN CAST($3 AS TEXT) END, 's',
		CASE i % 7 WHEN 0 THEN 'open' WHEN 1 THEN 'resolved' ELSE 'closed' END, CASE i % 11 WHEN 0 THEN 'urgent' WHEN 1 THEN 'low' END,
		CASE i % 3 WHEN 0 THEN 'minor' END, CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN '["a"]' ELSE '["a","none"]' END, 'user', 'u',
		CASE i % 6 WHEN 0 THEN '' ELSE '{"release":"r' || CAST(i % 6 AS TEXT) || '","browser":"b"}' END, '', 0, i,
		CASE WHEN i % 13 = 0 THEN 5 END FROM n`

// valuesOfSlice returns the values of a slice, by member.
var valuesOfSlice = map[string]func(s store.Slice) []string{
	store.ByStatus:   func(s store.Slice) []string { return []string{string(s.Status)} },
	store.ByPriority: func(s store.Slice) []string { return []string{string(orNone(s.Priority))} },
	store.BySeverity: func(s store.Slice) []string { return []string{string(orNone(s.Severity))} },
	store.BySpace:    func(s store.Slice) []string { return []string{orNone(s.SpaceID)} },
	store.ByRelease:  func(s store.Slice) []string { return []string{orNone(s.Environment.Release)} },
	store.ByLabel: func(s store.Slice) []string {
		if len(s.Labels) == 0 {
			return []string{""}
		}
		return s.Labels
	},
}

// countValues counts slices by their values.
func countValues(all []store.Slice, values func(store.Slice) []string) map[string]int64 {
	n := map[string]int64{}
	for _, s := range all {
		for _, v := range values(s) {
			n[v]++
		}
	}
	return n
}

// countsOf returns counts by their values, and whether one is of more slices than are counted.
func countsOf(counts []store.SliceCount, by string) (n map[string]int64, exceeds bool) {
	n = map[string]int64{}
	for _, c := range counts {
		value := store.NoneValue
		if c.Value != nil {
			value = *c.Value
		} else if by == store.ByLabel {
			value = ""
		}
		n[value] += c.Count
		exceeds = exceeds || c.More
	}
	return n, exceeds
}

// TestCountsOfOneMemberAreExact: the counts of the slices with one of some values of a member, and with one of some
// statuses, are those of a list of the same slices, also when a space is deleted. They are kept, and so they are
// exact for more slices than are examined.
func TestCountsOfOneMemberAreExact(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		db, _ := rawDatabase(t, o)
		present, deleted := "spc_present", "spc_deleted"
		for _, text := range []string{"INSERT INTO spaces (id, workspace_id, name, created_at, updated_at) VALUES ('spc_present', $1, 'n', 1, 1)",
			"INSERT INTO spaces (id, workspace_id, name, created_at, updated_at, deleted_at) VALUES ('spc_deleted', $1, 'n', 1, 1, 2)"} {
			_, err := db.Exec(text, workspace)
			must(t, err)
		}
		_, err := db.Exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "+fillCounted,
			workspace, present, deleted)
		must(t, err)
		_, err = db.Exec("INSERT INTO pending_backfills (name) VALUES ('statistics')")
		must(t, err)
		buildIndex(t, s)
		_, err = store.Migrate(t.Context(), o)
		must(t, err)
		q := s.Read(t.Context())
		filters := []func(f *store.SliceFilter) (exact func(by string) bool){
			func(*store.SliceFilter) func(string) bool { return func(string) bool { return true } },
			func(f *store.SliceFilter) func(string) bool {
				f.Priorities = []api.PriorityFilter{"urgent", store.NoneValue}
				return func(by string) bool { return by == store.ByStatus || by == store.ByPriority }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Severities = []api.SeverityFilter{"minor"}
				return func(by string) bool { return by == store.ByStatus || by == store.BySeverity }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Spaces = []string{store.NoneValue}
				return func(by string) bool { return by == store.ByStatus || by == store.BySpace }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Spaces = []string{present, deleted}
				return func(by string) bool { return by == store.ByStatus || by == store.BySpace }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Labels = []string{"a"}
				return func(by string) bool { return by == store.ByStatus }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Labels = []string{store.NoneValue} // a label of this name
				return func(by string) bool { return by == store.ByStatus }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Labels = []string{"a", "none"}
				return func(string) bool { return false }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Unlabelled = true
				return func(by string) bool { return by == store.ByStatus }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Texts = map[string][]string{"release": {"r1", "r5", "r9"}}
				return func(by string) bool { return by == store.ByStatus || by == store.ByRelease }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Texts = map[string][]string{"browser": {"b"}}
				return func(string) bool { return false }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Severities, f.Priorities = []api.SeverityFilter{"minor"}, []api.PriorityFilter{store.NoneValue}
				return func(string) bool { return false }
			},
			func(f *store.SliceFilter) func(string) bool {
				f.Severities, f.BeforeID = []api.SeverityFilter{store.NoneValue}, "slc_102000"
				return func(string) bool { return false }
			},
		}
		r := rand.New(rand.NewPCG(3, 4))
		for n, set := range filters {
			for by, values := range valuesOfSlice {
				f := store.SliceFilter{Workspaces: []string{workspace}, Limit: 3000}
				exact := set(&f)(by)
				if r.IntN(2) == 0 {
					f.Statuses = []api.Status{api.Open, api.Closed}
				}
				all, err := q.Slices(f)
				must(t, err)
				want := countValues(all, values)
				counts, complete, err := q.CountSlices(f, by)
				must(t, err)
				got, exceeds := countsOf(counts, by)
				if exact && !complete {
					t.Errorf("filter %d by %s is not complete", n, by)
				}
				for value, w := range want {
					if complete && !exceeds && got[value] != w || exact && got[value] != min(w, store.MaxCount) &&
						value != store.NoneValue {
						t.Errorf("filter %d by %s, %v: %q: %d, want %d", n, by, f.Statuses, value, got[value], w)
					}
				}
				if got, want := len(got), len(want); got != want {
					t.Errorf("filter %d by %s: %d values, want %d", n, by, got, want)
				}
			}
		}
	})
}
