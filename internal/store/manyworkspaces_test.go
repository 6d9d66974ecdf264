package store_test

import (
	"fmt"
	"slices"
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
)

// TestListsOfManyWorkspaces: the list and the counts of many workspaces are those of each of them together, whether a query reads all
// workspaces or several queries do.
func TestListsOfManyWorkspaces(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		var workspaces []string
		var all []store.Slice
		statuses := []api.Status{api.Open, api.InProgress, api.Resolved, api.Closed}
		for range 60 {
			_, w := seed(t, s)
			workspaces = append(workspaces, w)
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				for i := range 3 {
					made, err := insert(tx, w, fmt.Sprint("Report ", i))
					if err != nil {
						return err
					}
					made.Status = statuses[len(all)%len(statuses)]
					if err := tx.UpdateSlice(&made); err != nil {
						return err
					}
					all = append(all, made)
				}
				return nil
			}))
		}
		q := s.Read(t.Context())
		for _, chosen := range [][]api.Status{nil, {api.Open}, {api.Open, api.Closed}, statuses} {
			want := slices.DeleteFunc(slices.Clone(all), func(s store.Slice) bool { return chosen != nil && !slices.Contains(chosen, s.Status) })
			f := store.SliceFilter{Workspaces: workspaces, Statuses: chosen, Limit: 100}
			checkPages(t, q, f, want)
			counts, complete, err := q.CountSlices(f, store.ByStatus)
			must(t, err)
			sum := int64(0)
			for _, n := range counts {
				sum += n.Count
			}
			if !complete || sum != int64(len(want)) {
				t.Errorf("%v: %d slices are counted (complete: %v), want %d", chosen, sum, complete, len(want))
			}
		}
	})
}
