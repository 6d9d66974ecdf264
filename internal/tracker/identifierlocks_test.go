package tracker_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"bugslice/api"
)

// deadlocks closes the store, and returns how many deadlocks PostgreSQL has ended: a connection reports them before
// it is closed.
func (w *world) deadlocks(t *testing.T) (n int) {
	t.Helper()
	if w.store.Engine() != "postgres" {
		return 0
	}
	must(t, w.store.Close())
	db, err := sql.Open("pgx", w.url)
	must(t, err)
	defer db.Close()
	for deadline, others := time.Now().Add(10*time.Second), 1; others > 0 &&
		time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		must(t, db.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").Scan(
			&others))
	}
	must(t, db.QueryRow("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&n))
	return n
}

// twins are slices with the same fingerprint: resolved ones and, the last of them, a deleted one.
type twins struct {
	fingerprint string
	ids         []string
}

func (w *world) twins(t *testing.T, fingerprint string) twins {
	t.Helper()
	all := twins{fingerprint: fingerprint}
	for range 2 {
		all.ids = append(all.ids, w.settled(t, fingerprint, api.SlicePatch{"status": "resolved"}).ID)
	}
	made, err := w.fingerprinted(t, fingerprint, false)
	must(t, err)
	_, err = w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: made.ID}))
	must(t, err)
	all.ids = append(all.ids, made.ID)
	return all
}

// identified are the changes by which slices get identifiers that others have, or lose them.
type identified struct {
	w   *world
	all []twins
}

// some returns slices in any order, at most one of the slices with each fingerprint.
func (d identified) some() (ids []string) {
	for _, i := range rand.Perm(len(d.all)) {
		ids = append(ids, d.all[i].ids[rand.IntN(len(d.all[i].ids))])
	}
	return ids
}

func (d identified) update(patch func(i int) api.SlicePatch) error {
	var in api.BatchUpdateSlices
	for i, id := range d.some() {
		in.Body.Items = append(in.Body.Items, api.BatchUpdateItem{ID: id, Patch: patch(i)})
	}
	return failureOf(d.w.BatchUpdateSlices(context.Background(), d.w.owner, valid(in)))
}

func (d identified) restore() error {
	var in api.BatchRestoreSlices
	for _, id := range d.some() {
		in.Body.Items = append(in.Body.Items, api.BatchRestoreItem{ID: id})
	}
	return failureOf(d.w.BatchRestoreSlices(context.Background(), d.w.owner, valid(in)))
}

func (d identified) delete() error {
	var in api.BatchDeleteSlices
	for _, id := range d.some() {
		in.Body.Items = append(in.Body.Items, api.BatchDeleteItem{ID: id})
	}
	return failureOf(d.w.BatchDeleteSlices(context.Background(), d.w.owner, valid(in)))
}

func (d identified) file(reopen bool) error {
	print, external := d.all[rand.IntN(len(d.all))].fingerprint, fmt.Sprint("external", rand.IntN(8))
	return second(d.w.CreateSlice(context.Background(), d.w.owner,
		valid(api.CreateSlice{Reopen: reopen, Body: api.NewSlice{
			WorkspaceID: &d.w.workspace, SliceFields: api.SliceFields{Summary: "s", ExternalID: &external},
			Fingerprint: &print}})))
}

func (d identified) change(patch api.SlicePatch) error {
	return second(d.w.UpdateSlice(context.Background(), d.w.owner,
		valid(api.UpdateSlice{SliceID: d.some()[0], Patch: patch})))
}

// failureOf returns the first failure of a batch that is no refusal.
func failureOf(out api.BatchResults, err error) error {
	for _, r := range out.Results {
		if r.Problem != nil && r.Problem.Status >= 500 {
			return r.Problem
		}
	}
	return err
}

// TestIdentifiersAreLockedInOneOrder: batches, single changes and filings that give slices the fingerprints and
// external ids of others, in any order, wait for each other without a deadlock, which PostgreSQL ends after a second.
// One slice with a fingerprint is open at most.
func TestIdentifiersAreLockedInOneOrder(t *testing.T) {
	open, resolved := api.SlicePatch{"status": "open"}, api.SlicePatch{"status": "resolved"}
	for name, does := range map[string]func(d identified, n int) error{
		"batches that reopen": func(d identified, n int) error {
			return d.update(func(int) api.SlicePatch { return []api.SlicePatch{open, resolved}[n%2] })
		},
		"batches that restore": func(d identified, n int) error {
			return []func() error{d.restore, d.delete}[n%2]()
		},
		"batches that set external ids": func(d identified, n int) error {
			return d.update(func(i int) api.SlicePatch {
				if n%2 == 1 {
					return api.SlicePatch{"externalId": nil}
				}
				return api.SlicePatch{"externalId": fmt.Sprint("external", rand.IntN(8))}
			})
		},
		"single changes": func(d identified, n int) error {
			return []func() error{
				func() error { return d.change(open) }, func() error { return d.file(true) },
				func() error {
					return d.change(api.SlicePatch{"externalId": fmt.Sprint("external", rand.IntN(8))})
				},
				func() error { return d.file(false) }, func() error { return d.change(resolved) },
				func() error { return d.change(api.SlicePatch{"externalId": nil}) },
			}[rand.IntN(6)]()
		},
		"all": func(d identified, n int) error {
			return []func() error{
				func() error { return d.update(func(int) api.SlicePatch { return open }) },
				func() error { return d.update(func(int) api.SlicePatch { return resolved }) },
				func() error {
					return d.update(func(int) api.SlicePatch { return api.SlicePatch{"priority": "high"} })
				},
				d.restore, d.delete, func() error { return d.change(open) }, func() error { return d.file(true) },
			}[rand.IntN(7)]()
		},
	} {
		t.Run(name, func(t *testing.T) {
			engines(t, func(t *testing.T, w *world) {
				d := identified{w: w}
				for i := range 8 {
					d.all = append(d.all, w.twins(t, fmt.Sprint("print", i)))
				}
				w.withWriters(t, 8, 8, func(n int) error { return does(d, n) })
				if n := w.openTwins(t); n > 0 {
					t.Errorf("%d slices are open beside another one with their fingerprint", n)
				}
				if n := w.deadlocks(t); n > 0 {
					t.Errorf("%d deadlocks", n)
				}
			})
		})
	}
}

// withWriters runs a change several times in each of some goroutines. A refusal is no failure.
func (w *world) withWriters(t *testing.T, writers, rounds int, change func(n int) error) {
	var work sync.WaitGroup
	for range writers {
		work.Go(func() {
			for n := range rounds {
				err := change(n)
				switch code(err) {
				case "<nil>", api.CodeConflict, api.CodeExternalIDTaken, api.CodeNotFound:
				default:
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
}

// openTwins returns the number of open slices with a fingerprint that an earlier open one has.
func (w *world) openTwins(t *testing.T) (n int) {
	t.Helper()
	p, err := w.ListSlices(t.Context(), w.owner,
		valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace,
			Status: []api.Status{api.Open, api.InProgress}},
			Paging: api.Paging{Limit: 100}}))
	must(t, err)
	seen := map[string]bool{}
	for _, s := range p.Data {
		if s.Fingerprint != nil && seen[*s.Fingerprint] {
			n++
		} else if s.Fingerprint != nil {
			seen[*s.Fingerprint] = true
		}
	}
	return n
}
