package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// TestListsBesideChanges: a page is full as long as enough slices have all filters, also when one of those that it
// has found leaves them before it is read. A shorter page would be the last one for whoever follows cursors.
func TestListsBesideChanges(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		_, workspace := seed(t, s)
		ids := insertSeveral(t, s, workspace, 120)
		low := api.Priority("low")
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			for _, id := range ids {
				v, err := tx.LockSlice(id)
				if err != nil {
					return err
				}
				v.Priority = &low
				if err := tx.UpdateSlice(&v); err != nil {
					return err
				}
			}
			return nil
		}))
		var ended atomic.Bool
		var writer sync.WaitGroup
		writer.Go(func() {
			for n := 0; !ended.Load(); n++ {
				if err := s.Write(t.Context(),
					func(tx *store.Tx) error { return toggle(tx, ids[len(ids)-1-n%10]) }); err != nil {
					t.Error(err)
					return
				}
			}
		})
		defer writer.Wait()
		defer ended.Store(true)
		for name, f := range map[string]store.SliceFilter{
			"filters":            {Priorities: []api.PriorityFilter{"low"}},
			"filters, by update": {Priorities: []api.PriorityFilter{"low"}, Sort: store.SortByUpdate, Ascending: true},
			"words":              {Words: []string{"before"}},
		} {
			f.Workspaces, f.Statuses, f.Limit = []string{workspace}, []api.Status{api.Open}, 26
			for begin := time.Now(); time.Since(begin) < 700*time.Millisecond; {
				all, err := s.Read(t.Context()).Slices(f)
				must(t, err)
				if len(all) != f.Limit {
					t.Errorf("%s: %d slices, want %d", name, len(all), f.Limit)
					break
				}
			}
		}
	})
}

// toggle resolves a slice that is open, and opens it again.
func toggle(tx *store.Tx, id string) error {
	v, err := tx.LockSlice(id)
	if err != nil {
		return err
	}
	if v.Status == api.Open {
		v.Status = api.Resolved
	} else {
		v.Status = api.Open
	}
	return tx.UpdateSlice(&v)
}

// TestListsOfManyWorkspacesBesideChanges: a list that takes long is not refused because one of its slices is changed
// all the time.
func TestListsOfManyWorkspacesBesideChanges(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		var workspaces []string
		for range 250 {
			_, w := seed(t, s)
			workspaces = append(workspaces, w)
		}
		busy := insertSeveral(t, s, workspaces[200], 1)[0]
		var ended atomic.Bool
		var writer sync.WaitGroup
		writer.Go(func() {
			for n := 0; !ended.Load(); n++ {
				if err := s.Write(t.Context(),
					func(tx *store.Tx) error { return changeOther(tx, busy, busy, n) }); err != nil {
					t.Error(err)
					return
				}
			}
		})
		defer writer.Wait()
		defer ended.Store(true)
		for range 20 {
			all, err := s.Read(t.Context()).
				Slices(store.SliceFilter{Workspaces: workspaces, Words: []string{"other"}, Limit: 26})
			must(t, err)
			if len(all) > 1 {
				t.Errorf("%d slices, want at most one", len(all))
			}
		}
	})
}
