package store_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// statisticRows returns the rows of slice_statistics, each in a line.
func statisticRows(t *testing.T, db *sql.DB) (all []string) {
	t.Helper()
	rows, err := db.Query("SELECT workspace_id, kind, span, start, value, opened, resolved, unresolved FROM slice_statistics")
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var workspace, kind, value string
		var n [5]int64
		must(t, rows.Scan(&workspace, &kind, &n[0], &n[1], &value, &n[2], &n[3], &n[4]))
		all = append(all, fmt.Sprintln(workspace, kind, value, n))
	}
	must(t, rows.Err())
	slices.Sort(all)
	return all
}

// fileFor stores a slice of a workspace that was created at a time, with labels.
func fileFor(t *testing.T, s *store.Store, workspace string, number int64, at time.Time, labels ...string) store.Slice {
	t.Helper()
	release := fmt.Sprint("1.", number%3)
	slice := store.Slice{Slice: api.Slice{ID: id.At(id.Slice, at), WorkspaceID: workspace, Number: number, Version: 1,
		CreatedAt: api.At(at), UpdatedAt: api.At(at),
		Reporter: api.Reporter{Type: "guest"},
		SliceFields: api.SliceFields{Summary: "s", Status: api.Open, Labels: labels,
			Environment: api.Environment{Release: &release}}}}
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		return tx.InsertSlice(&slice,
			store.Terms(slice.SliceFields, ""))
	}))
	return slice
}

// changeSlice changes a stored slice.
func changeSlice(t *testing.T, s *store.Store, sliceID string, change func(*store.Slice)) {
	t.Helper()
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		slice, err := tx.LockSlice(sliceID)
		if err != nil {
			return err
		}
		change(&slice)
		return tx.UpdateSlice(&slice)
	}))
}

// TestStatisticsOfOlderSlices: the migration of an older database counts its slices as their changes would have,
// once, and a row that counts nothing is deleted.
func TestStatisticsOfOlderSlices(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		db, _ := rawDatabase(t, o)
		begin := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)
		for range 2 {
			_, workspace := seed(t, s)
			var all []store.Slice
			for n := range int64(20) {
				all = append(all, fileFor(t, s, workspace, n+1, begin.Add(time.Duration(n*n)*time.Hour), "a",
					fmt.Sprint("l", n%4)))
			}
			resolved := api.At(begin.AddDate(0, 2, 0))
			for n, slice := range all {
				switch n % 4 {
				case 0:
					changeSlice(t, s, slice.ID, func(s *store.Slice) { s.DeletedAt = &resolved })
				case 1:
					changeSlice(t, s, slice.ID,
						func(s *store.Slice) { s.Status, s.ResolvedAt = api.Resolved, &resolved })
				case 2:
					changeSlice(t, s, slice.ID, func(s *store.Slice) { s.Labels = nil })
				}
			}
		}
		want := statisticRows(t, db)
		_, err := db.Exec("DELETE FROM slice_statistics")
		must(t, err)
		for range 2 {
			_, err = db.Exec("INSERT INTO pending_backfills (name) VALUES ('statistics')")
			must(t, err)
			_, err = store.Migrate(t.Context(), o)
			must(t, err)
			assert.Equal(t, "statistics", statisticRows(t, db), want)
		}
		if len(want) < 100 {
			t.Errorf("only %d rows", len(want))
		}
	})
}

// TestStatisticsOfDeletedWorkspace: the deletion of a workspace deletes its statistics, and no others.
func TestStatisticsOfDeletedWorkspace(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		db, _ := rawDatabase(t, o)
		_, stays := seed(t, s)
		fileFor(t, s, stays, 1, time.Now(), "a")
		want := statisticRows(t, db)
		_, workspace := seed(t, s)
		fileFor(t, s, workspace, 1, time.Now(), "a")
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			return storetest.DeleteWorkspace(tx, workspace,
				api.At(time.Now()))
		}))
		assert.Equal(t, "statistics", statisticRows(t, db), want)
	})
}

// TestExaminedStatisticsAreBounded: of a period with more than 10,000 values of days the newest are counted, and the
// list says so.
func TestExaminedStatisticsAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		db, _ := rawDatabase(t, o)
		_, err := db.Exec(`INSERT INTO slice_statistics (workspace_id, kind, span, start, value, opened, resolved, unresolved)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10002)
			SELECT CAST($1 AS TEXT), 'label', 1, CASE WHEN i > 10 THEN 2 ELSE 1 END, 'l' || (10000 + i), i, 0, 0 FROM n`, workspace)
		must(t, err)
		for _, c := range []struct {
			p        store.Period
			complete bool
			first    store.TopValue
		}{
			{store.Period{From: 1, To: 2}, true, store.TopValue{Value: "l10010", Count: 10}},
			{store.Period{From: 2, To: 3}, true, store.TopValue{Value: "l20002", Count: 10002}},
			{store.Period{From: 1, To: 3}, false, store.TopValue{Value: "l20002", Count: 10002}},
		} {
			top, err := s.Read(t.Context()).TopValues(workspace, store.LabelStatistic, c.p)
			must(t, err)
			if top.Complete != c.complete || len(top.Values) != 10 || top.Values[0] != c.first {
				t.Errorf("%+v: %+v", c.p, top)
			}
		}
	})
}
