package store_test

import (
	"fmt"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
)

// TestSearchOfOneWorkspace: slices of other workspaces are neither found nor do they hide older ones, also of a workspace whose id ends with
// the same characters.
func TestSearchOfOneWorkspace(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		org, first := seed(t, s)
		same := store.Workspace{Workspace: api.Workspace{ID: "wsp_0000000000000000000000" + first[len(first)-4:], OrganizationID: org,
			WorkspaceFields: api.WorkspaceFields{Name: "same"}}}
		_, other := seed(t, s)
		var made store.Slice
		must(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
			if err := tx.InsertWorkspace(&same); err != nil {
				return err
			}
			if made, err = insert(tx, first, "zebra crossing"); err != nil {
				return err
			}
			for i := range 2100 {
				if _, err := insert(tx, other, fmt.Sprint("zebra crossing ", i)); err != nil {
					return err
				}
			}
			_, err = insert(tx, same.ID, "zebra crossing")
			return err
		}))
		q := s.Read(t.Context())
		newest, err := q.Newest(first)
		must(t, err)
		for name, read := range map[string]func() ([]*store.Compared, error){
			"all": func() ([]*store.Compared, error) {
				return q.SlicesWithAll(newest, []string{"zebra", "crossing"}, 25)
			},
			"rare": func() ([]*store.Compared, error) {
				all, complete, err := q.SlicesWithRare(first, []string{"zebra", "never"}, 25)
				assert.Equal(t, "complete", complete, true)
				return all, err
			},
			"any": func() ([]*store.Compared, error) {
				all, _ := newest.WithAny([]string{"crossing", "never"}, 25)
				return all, nil
			},
		} {
			all, err := read()
			must(t, err)
			assert.Equal(t, name, idsOf(all), []string{made.ID})
		}
		all, err := q.Slices(store.SliceFilter{Workspaces: []string{first}, Words: []string{"zebra"}, Limit: 25})
		must(t, err)
		assert.Equal(t, "the list", idsOf(all), []string{made.ID})
		found, err := q.Slices(store.SliceFilter{Workspaces: []string{first, other, same.ID}, Words: []string{"zebra"}, Limit: 3000})
		if err != nil || len(found) != 2102 {
			t.Errorf("%d slices of three workspaces, %v, want 2102", len(found), err)
		}
	})
}

// TestSearchOfOlderDatabase: the backfill makes the search find the slices of a database whose index is empty, or has the terms of an earlier
// version.
func TestSearchOfOlderDatabase(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, w := seed(t, s)
		var made store.Slice
		must(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
			made, err = insert(tx, w, "zebra crossing")
			return err
		}))
		for _, text := range []string{"DELETE FROM slice_search", "INSERT INTO slice_search (rowid, words) SELECT row, 'zebra' FROM slices"} {
			must(t, store.ExecWrite(t.Context(), s, text))
		}
		find := func() ([]store.Slice, error) {
			return s.Read(t.Context()).Slices(store.SliceFilter{Workspaces: []string{w}, Words: []string{"zebra"}, Limit: 25})
		}
		if found, err := find(); err != nil || len(found) != 0 {
			t.Fatalf("%d slices, %v: the index has the terms of this version", len(found), err)
		}
		must(t, store.ExecWrite(t.Context(), s, "INSERT INTO pending_backfills (name) VALUES ('search')"))
		_, err := store.Migrate(t.Context(), o)
		must(t, err)
		if found, err := find(); err != nil || len(found) != 1 || found[0].ID != made.ID {
			t.Errorf("%d slices after the backfill, %v, want one", len(found), err)
		}
	})
}
