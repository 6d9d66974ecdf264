package store_test

import (
	"fmt"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
)

// TestSearchOfOneWorkspace: slices of other workspaces are neither found nor do they hide older ones, also of a
// workspace whose id ends with the same characters.
func TestSearchOfOneWorkspace(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		org, first := seed(t, s)
		same := store.Workspace{Workspace: api.Workspace{ID: "wsp_0000000000000000000000" + first[len(first)-4:],
			OrganizationID:  org,
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
				all, _ := newest.WithAny([]store.Word{store.WordOf(store.Stem("crossing")), store.WordOf("never")}, 25)
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
		found, err := q.Slices(store.SliceFilter{Workspaces: []string{first, other, same.ID}, Words: []string{"zebra"},
			Limit: 3000})
		if err != nil || len(found) != 2102 {
			t.Errorf("%d slices of three workspaces, %v, want 2102", len(found), err)
		}
	})
}
