package store_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// factRows returns the rows of live_facts, each in a line.
func factRows(t *testing.T, db *sql.DB) (all []string) {
	t.Helper()
	rows, err := db.Query(`SELECT row, slice_id, workspace_id, COALESCE(reporter_id, '-'), COALESCE(space_id, '-'), COALESCE(severity, '-'),
		COALESCE(release, '-'), COALESCE(browser, '-'), COALESCE(os, '-'), COALESCE(viewport, '-'), unlabelled FROM live_facts`)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var row, unlabelled int64
		var text [9]string
		must(t, rows.Scan(&row, &text[0], &text[1], &text[2], &text[3], &text[4], &text[5], &text[6], &text[7], &text[8], &unlabelled))
		all = append(all, fmt.Sprint(row, " ", strings.Join(text[:], " "), " ", unlabelled))
	}
	must(t, rows.Err())
	slices.Sort(all)
	return all
}

// TestFactsFollowSlices: after any changes, also of several slices in one transaction, live_facts has the rows that a restored backup
// derives from the slices.
func TestFactsFollowSlices(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		db, _ := rawDatabase(t, o)
		_, workspace := seed(t, s)
		space, at := "spc_1", time.Now()
		_, err := db.Exec("INSERT INTO spaces (id, workspace_id, name, created_at, updated_at) VALUES ($1, $2, 'n', 1, 1)", space, workspace)
		must(t, err)
		var all []store.Slice
		for n := range int64(60) {
			all = append(all, fileFor(t, s, workspace, n+1, at.Add(time.Duration(n)*time.Second), slices.Repeat([]string{"a"}, int(n%2))...))
		}
		severity, priority, deleted, text := api.Severity("major"), api.Priority("low"), api.At(at), func(v string) *string { return &v }
		changes := []func(*store.Slice){
			func(s *store.Slice) { s.Severity = &severity },
			func(s *store.Slice) { s.SpaceID = &space },
			func(s *store.Slice) { s.Environment.Release, s.Environment.Browser = nil, text("Firefox 1") },
			func(s *store.Slice) { s.Environment.OS, s.Environment.Viewport = text("Linux"), text("1x1") },
			func(s *store.Slice) { s.Labels = nil },
			func(s *store.Slice) { s.Labels = []string{"b"} },
			func(s *store.Slice) { s.DeletedAt = &deleted },
			func(s *store.Slice) { s.DeletedAt, s.Severity = nil, nil },
			func(s *store.Slice) { s.Priority = &priority },
		}
		change := func(tx *store.Tx, id string, i int) error {
			slice, err := tx.LockSlice(id)
			if err != nil {
				return err
			}
			changes[i%len(changes)](&slice)
			return tx.UpdateSlice(&slice)
		}
		for round := range 6 {
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				for i, slice := range all {
					for _, n := range []int{i + round, i*7 + round*3} { // the second change follows the first one before any row is written
						if err := change(tx, slice.ID, n); err != nil {
							return err
						}
					}
				}
				return nil
			}))
			got := factRows(t, db)
			_, err := db.Exec("DELETE FROM live_facts")
			must(t, err)
			listFacts(t, s)
			assert.Equal(t, fmt.Sprint("facts of round ", round), got, factRows(t, db))
			if live := len(got); live == 0 || live == len(all) && round > 0 {
				t.Errorf("round %d: %d of %d slices are live", round, live, len(all))
			}
		}
		must(t, s.Write(t.Context(), func(tx *store.Tx) error { return storetest.DeleteWorkspace(tx, workspace, api.At(at)) }))
		if rows := factRows(t, db); len(rows) > 0 {
			t.Errorf("a deleted workspace has facts: %v", rows)
		}
	})
}
