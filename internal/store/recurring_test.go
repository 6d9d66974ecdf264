package store_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// recurringRows returns the rows of recurring_slices, each in a line.
func recurringRows(t *testing.T, db *sql.DB) (all []string) {
	t.Helper()
	rows, err := db.Query("SELECT slice_id, workspace_id, created_at, fingerprint, occurrence_count FROM recurring_slices")
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var text [3]string
		var created, count int64
		must(t, rows.Scan(&text[0], &text[1], &created, &text[2], &count))
		all = append(all, fmt.Sprintln(text, created, count))
	}
	must(t, rows.Err())
	slices.Sort(all)
	return all
}

// TestRecurringSlicesFollowSlices: whatever happens to slices with the same fingerprints, one by one and together in
// a transaction, recurring_slices has what a restored backup derives from them.
func TestRecurringSlicesFollowSlices(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		db, _ := rawDatabase(t, o)
		_, first := seed(t, s)
		_, second := seed(t, s)
		random, at := rand.New(rand.NewPCG(1, 2)), time.Now().Add(-time.Hour)
		numbers := map[string]int64{}
		var all []string
		file := func(tx *store.Tx) error {
			at = at.Add(time.Second)
			workspace := []string{first, second}[random.IntN(2)]
			numbers[workspace]++
			slice := store.Slice{Slice: api.Slice{ID: id.At(id.Slice, at), WorkspaceID: workspace,
				Number: numbers[workspace], Version: 1, CreatedAt: api.At(at),
				UpdatedAt: api.At(at), OccurrenceCount: 1, Reporter: api.Reporter{Type: "guest"},
				SliceFields: api.SliceFields{Summary: "s", Status: api.Closed}}}
			if n := random.IntN(6); n > 0 {
				slice.Fingerprint = new(fmt.Sprint("f", n))
			}
			all = append(all, slice.ID)
			return tx.InsertSlice(&slice, store.Terms(slice.SliceFields, ""))
		}
		change := func(tx *store.Tx) error {
			slice, err := tx.LockSlice(all[random.IntN(len(all))])
			if err != nil {
				return err
			}
			switch deleted := api.At(at); random.IntN(8) {
			case 0:
				slice.OccurrenceCount++
			case 1, 2, 3:
				slice.DeletedAt = nil
			default:
				slice.DeletedAt = &deleted
			}
			return tx.UpdateSlice(&slice)
		}
		most := 0
		for round := range 60 {
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				for i := range 1 + random.IntN(4) {
					step := change
					if i == 0 && round < 30 {
						step = file
					}
					if err := step(tx); err != nil {
						return err
					}
				}
				return nil
			}))
			got := recurringRows(t, db)
			_, err := db.Exec("DELETE FROM recurring_slices")
			must(t, err)
			must(t, s.Write(t.Context(), func(tx *store.Tx) error { return store.ListAllRecurring(tx) }))
			assert.Equal(t, fmt.Sprint("rows of round ", round), got, recurringRows(t, db))
			most = max(most, len(got))
		}
		if most < 5 {
			t.Errorf("at most %d rows", most)
		}
		for _, workspace := range []string{first, second} {
			must(t, s.Write(t.Context(),
				func(tx *store.Tx) error { return storetest.DeleteWorkspace(tx, workspace, api.At(at)) }))
		}
		assert.Equal(t, "rows of deleted workspaces", recurringRows(t, db), []string(nil))
	})
}
