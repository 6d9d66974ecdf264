package store_test

import (
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
)

// fillSlices fills a workspace with slices of every priority, most of them without one.
const fillSlices = `INSERT INTO slices (id, workspace_id, number, summary, status, priority, labels, reporter_type, reporter_name,
		environment, metadata, created_at, updated_at, last_seen_at)
	SELECT 'slc_' || CAST(1000000000 + i AS TEXT), $1, i, 's', 'open',
		CASE i % 50 WHEN 1 THEN 'urgent' WHEN 2 THEN 'high' WHEN 3 THEN 'medium' WHEN 4 THEN 'low' END, '', 'user', 'n', '', '', 1, 1, 1 `

var fillSlicesOf = map[string]string{
	"sqlite": "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) " + fillSlices + "FROM n",
	"pgx":    fillSlices + "FROM generate_series(1, 20000) i",
}

// TestPriorityListIsIndexed: a list by priority reads its index in order, with and without statistics, on the first page and
// deep in the slices without a priority.
func TestPriorityListIsIndexed(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		db, driver := rawDatabase(t, o)
		_, err := db.Exec(fillSlicesOf[driver], workspace)
		must(t, err)
		for _, statistics := range []bool{false, true} {
			if statistics {
				_, err := db.Exec("ANALYZE")
				must(t, err)
			}
			for _, f := range []store.SliceFilter{{}, {AfterKey: 4, AfterID: "slc_1000010001"}, {AfterID: "slc_1000010000"}, {AfterID: "slc_1000010000", Ascending: true}} {
				f.Workspaces, f.Sort, f.Limit = []string{workspace}, store.SortByPriority, 26
				text, args := s.Statement(f)
				got := plan(t, db, driver, text, args...)
				if !strings.Contains(got, "slices_in_priority_order") || strings.Contains(got, "Sort") || strings.Contains(got, "TEMP B-TREE") {
					t.Errorf("statistics %t, %+v: %s", statistics, f, got)
				}
				lookup := map[string]string{"sqlite": "<expr>", "pgx": "text) AND ((CASE"}[driver] // in the condition of the index
				if f.AfterID != "" && !strings.Contains(got, lookup) {
					t.Errorf("the position is not looked up: %s", got)
				}
			}
		}
		for _, f := range []store.SliceFilter{{FromID: "slc_1000000500"}, {BeforeID: "slc_1000019500", AfterKey: 4, AfterID: "slc_1000010000"},
			{Priorities: []api.PriorityFilter{"low"}}, {Priorities: []api.PriorityFilter{"high", store.NoneValue}, FromID: "slc_1000000500"}} {
			f.Workspaces, f.Sort, f.Limit = []string{workspace}, store.SortByPriority, 26
			text, args := s.Statement(f)
			got := plan(t, db, driver, text, args...)
			if lookup := map[string]string{"sqlite": "<expr>>? AND <expr><?", "pgx": "<= '"}[driver]; !strings.Contains(got, lookup) {
				t.Errorf("%+v: the slices of each priority are not found by its index: %s", f, got)
			}
		}
		first, err := s.Read(t.Context()).Slices(store.SliceFilter{Workspaces: []string{workspace}, Sort: store.SortByPriority, Limit: 401})
		must(t, err)
		for i := 1; i < len(first); i++ {
			a, b := first[i-1], first[i]
			if x, y := store.PriorityKey(a.Priority), store.PriorityKey(b.Priority); x < y || x == y && a.ID <= b.ID {
				t.Fatalf("%s (%v) is before %s (%v)", a.ID, a.Priority, b.ID, b.Priority)
			}
		}
		if p := first[0].Priority; p == nil || *p != api.Priority("urgent") || first[400].Priority == nil {
			t.Errorf("the first is %v, and the last %v", first[0].Priority, first[400].Priority)
		}
	})
}

// matchSlices lets one of 400 slices of fillSlices have a word.
var matchSlices = map[string]string{
	"sqlite": "INSERT INTO slice_search (rowid, words) SELECT row, substr(workspace_id, -4) || 'zebra' FROM slices WHERE number % 400 = 7",
	"pgx":    "INSERT INTO slice_search (rowid, words) SELECT row, (right(workspace_id, 4) || 'zebra')::tsvector FROM slices WHERE number % 400 = 7",
}

// TestPrioritySearchReadsMatchesOnce: a list by priority with a word reads its matches once, and the slices in the order of their index; on
// PostgreSQL without their rows.
func TestPrioritySearchReadsMatchesOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		db, driver := rawDatabase(t, o)
		_, err := db.Exec(fillSlicesOf[driver], workspace)
		must(t, err)
		for _, text := range []string{matchSlices[driver], map[string]string{"sqlite": "ANALYZE", "pgx": "VACUUM ANALYZE"}[driver]} {
			_, err := db.Exec(text)
			must(t, err)
		}
		text, args := s.PriorityWalk(workspace, "zebra")
		got := plan(t, db, driver, text, args...)
		for _, want := range map[string][]string{
			"sqlite": {"USING INDEX slices_in_priority_order", "LIST SUBQUERY"},
			"pgx":    {"Index Only Scan Backward using slices_in_priority_order", "hashed SubPlan"},
		}[driver] {
			if !strings.Contains(got, want) {
				t.Errorf("the plan does not have %s: %s", want, got)
			}
		}
	})
}

// TestPeriodsAreIndexed: a filter with a period of creation reads the filter's index on SQLite, which would read the slices of the whole
// period, and a list by update begins at the period of the updates.
func TestPeriodsAreIndexed(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		db, driver := rawDatabase(t, o)
		_, err := db.Exec(fillSlicesOf[driver], workspace)
		must(t, err)
		_, err = db.Exec("ANALYZE")
		must(t, err)
		end := api.FromMillis(5)
		for _, c := range []struct {
			f    store.SliceFilter
			want map[string]string
		}{
			{store.SliceFilter{Statuses: []api.Status{api.Open}, FromID: "slc_1000000500", BeforeID: "slc_1000015000"},
				map[string]string{"sqlite": "slices_live_by_status (workspace_id=? AND status=? AND id>? AND id<?)", "pgx": "Index"}},
			{store.SliceFilter{Sort: store.SortByUpdate, UpdatedEnd: &end},
				map[string]string{"sqlite": "slices_live_by_update (workspace_id=? AND updated_at<?)", "pgx": "(updated_at < "}},
		} {
			c.f.Workspaces, c.f.Limit = []string{workspace}, 26
			text, args := s.Statement(c.f)
			if got := plan(t, db, driver, text, args...); !strings.Contains(got, c.want[driver]) {
				t.Errorf("%+v: the plan does not have %s: %s", c.f, c.want[driver], got)
			}
		}
	})
}
