package store_test

import (
	"fmt"
	"slices"
	"testing"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestListsOfManyWorkspaces: the list and the counts of many workspaces are those of each of them together, whether a
// query reads all workspaces or several queries do.
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
					made, err := insert(tx, w, fmt.Sprint("Report x", i))
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
			want := slices.DeleteFunc(slices.Clone(all),
				func(s store.Slice) bool { return chosen != nil && !slices.Contains(chosen, s.Status) })
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
		for _, f := range []store.SliceFilter{{Words: []string{"report"}}, {Words: []string{"report", "x2"}},
			{IDs: []string{all[4].ID, all[100].ID}}} {
			f.Workspaces, f.Limit = workspaces, 100
			want := slices.DeleteFunc(slices.Clone(all), func(s store.Slice) bool {
				return len(f.Words) == 2 && s.Summary != "Report x2" || f.IDs != nil && !slices.Contains(f.IDs, s.ID)
			})
			checkPages(t, q, f, want)
			must(t, q.NarrowWorkspaces(&f))
			if f.IDs != nil && len(f.Workspaces) != len(f.IDs) {
				t.Errorf("two slices are looked for in %d workspaces", len(f.Workspaces))
			}
			checkPages(t, q, f, want)
		}
	})
}

// TestNarrowedWorkspaces: a filter by spaces leaves their workspaces, one for slices without a space all of them.
func TestNarrowedWorkspaces(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		_, one := seed(t, s)
		_, other := seed(t, s)
		_, foreign := seed(t, s)
		space := func(workspace string) string {
			made := api.Space{ID: id.New(id.Space), WorkspaceID: workspace, SpaceFields: api.SpaceFields{Name: "Space"},
				Version: 1}
			must(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertSpace(made) }))
			return made.ID
		}
		mine, hidden := space(one), space(foreign)
		for _, c := range []struct{ spaces, want []string }{
			{nil, []string{one, other}}, {[]string{mine}, []string{one}}, {[]string{mine, hidden}, []string{one}},
			{[]string{hidden}, nil},
			{[]string{mine, store.NoneValue}, []string{one, other}},
		} {
			f := store.SliceFilter{Workspaces: []string{one, other}, Spaces: c.spaces}
			must(t, s.Read(t.Context()).NarrowWorkspaces(&f))
			if !slices.Equal(f.Workspaces, c.want) {
				t.Errorf("%q: %q, want %q", c.spaces, f.Workspaces, c.want)
			}
		}
	})
}
