package store_test

import (
	"fmt"
	"slices"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// TestMetadataBackfill: the values of a new key are indexed in steps, beside changes of the slices, and those of a former key are
// removed in steps. A key that comes back in between is complete again, and a workspace that is deleted leaves nothing.
func TestMetadataBackfill(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		_, workspace := seed(t, s)
		var all []store.Slice
		write := func(fn func(tx *store.Tx) error) { t.Helper(); must(t, s.Write(t.Context(), fn)) }
		for i := range 5 {
			write(func(tx *store.Tx) error {
				made, err := insert(tx, workspace, fmt.Sprint(i))
				all = append(all, made)
				made.Metadata = map[string]string{"order": fmt.Sprint(i / 4), "other": "x"}
				tx.UpdateSliceMetadata(&made)
				all[i] = made
				if err == nil {
					err = tx.UpdateSlice(&all[i])
				}
				return err
			})
		}
		declare := func(keys ...string) {
			t.Helper()
			write(func(tx *store.Tx) error {
				w, err := tx.LockWorkspace(workspace)
				if err != nil {
					return err
				}
				w.MetadataKeys = keys
				if err := tx.UpdateWorkspace(&w); err != nil {
					return err
				}
				return tx.BeginMetadataBackfills(workspace, []string{"order"})
			})
		}
		step := func() bool {
			t.Helper()
			complete, err := store.Write(t.Context(), s, func(tx *store.Tx) (bool, error) {
				return tx.AdvanceMetadataBackfill(store.MetadataBackfill{WorkspaceID: workspace, Name: "order"}, 2)
			})
			must(t, err)
			return complete
		}
		steps := func(want int) {
			t.Helper()
			n := 1
			for ; !step(); n++ {
				if pending, err := s.Read(t.Context()).MetadataBackfills(); err != nil || len(pending) != 1 {
					t.Fatalf("%v %v", pending, err)
				}
			}
			assert.Equal(t, "steps", n, want)
			pending, err := s.Read(t.Context()).MetadataBackfills()
			must(t, err)
			assert.Equal(t, "backfills that are not complete", len(pending), 0)
		}
		found := func(value string) (names []string) {
			t.Helper()
			rows, err := s.Read(t.Context()).Slices(store.SliceFilter{Workspaces: []string{workspace}, Limit: 10, Ascending: true,
				Metadata: []store.MetadataFilter{{Name: "order", Values: []string{value}}}})
			must(t, err)
			for _, r := range rows {
				names = append(names, r.Summary)
			}
			slices.Sort(names)
			return names
		}
		set := func(i int, value string) {
			t.Helper()
			write(func(tx *store.Tx) error {
				all[i].Metadata = map[string]string{"order": value}
				tx.UpdateSliceMetadata(&all[i])
				return tx.UpdateSlice(&all[i])
			})
		}
		declare("order")
		assert.Equal(t, "complete after one of three steps", step(), false)
		set(0, "1")
		set(4, "0")
		steps(2)
		assert.Equal(t, "slices with 0", found("0"), []string{"1", "2", "3", "4"})
		assert.Equal(t, "slices with 1", found("1"), []string{"0"})

		declare()
		assert.Equal(t, "complete after one of three removals", step(), false)
		set(1, "1")
		declare("order")
		steps(3)
		assert.Equal(t, "slices with 0, again", found("0"), []string{"2", "3", "4"})
		assert.Equal(t, "slices with 1, again", found("1"), []string{"0", "1"})

		at := all[2].CreatedAt
		write(func(tx *store.Tx) error { all[2].DeletedAt = &at; return tx.UpdateSlice(&all[2]) })
		assert.Equal(t, "slices with 0 that are not deleted", found("0"), []string{"3", "4"})
		write(func(tx *store.Tx) error { all[2].DeletedAt = nil; return tx.UpdateSlice(&all[2]) })
		assert.Equal(t, "slices with 0 after a restore", found("0"), []string{"2", "3", "4"})

		declare()
		write(func(tx *store.Tx) error { return storetest.DeleteWorkspace(tx, workspace, api.FromMillis(0)) })
		assert.Equal(t, "a backfill of a deleted workspace is complete", step(), true)
		for _, table := range []string{"slice_metadata", "metadata_backfills"} {
			n, err := store.CountRows(t.Context(), s, table)
			must(t, err)
			assert.Equal(t, "rows of "+table, n, int64(0))
		}
	})
}
