package tracker_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
)

// crowd files a slice with several occurrences, comments that mention, files, labels and a share.
func (w *world) crowd(t *testing.T, name string) api.Slice {
	t.Helper()
	ctx := t.Context()
	var s api.Slice
	for range 3 {
		s = w.report(t, name, api.SliceFields{Summary: name, Labels: []string{"a", "b"}}, "message")
	}
	for i := range 5 {
		body := fmt.Sprint("comment ", i, " for @owner@test.example")
		comment, err := w.CreateComment(ctx, w.owner, valid(api.CreateComment{SliceID: s.ID,
			Body: api.CommentFields{Body: body}}))
		must(t, err)
		w.react(t, w.owner, comment.ID, "eyes", false)
		must(t, second(w.attach(ctx, s.ID, fmt.Sprint(name, i))))
	}
	w.share(t, w.owner, s.ID, api.ShareConsole)
	return s
}

// database opens the database of a world of engines beside its store.
func (w *world) database(t *testing.T) *sql.DB {
	t.Helper()
	driver, source := "sqlite", w.path
	if w.url != "" {
		driver, source = "pgx", w.url
	}
	db, err := sql.Open(driver, source)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// rows returns the numbers of rows of tables, of a slice or in all.
func (w *world) rows(t *testing.T, db *sql.DB, condition string, tables ...string) (n []int) {
	t.Helper()
	for _, table := range tables {
		var of int
		must(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table+condition).Scan(&of))
		n = append(n, of)
	}
	return n
}

func sum(all []int) (n int) {
	for _, of := range all {
		n += of
	}
	return n
}

// TestPurgeInSteps: a purge deletes a limited number of records in a transaction, and the slices when none is left.
// The workspace counts the bytes that are left after each, each file is unreferenced once, and another slice keeps
// what it has.
func TestPurgeInSteps(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		ctx, db := t.Context(), w.database(t)
		gone, kept := w.crowd(t, "gone"), w.crowd(t, "kept")
		w.resolveAs(t, w.file(t, "duplicate", "").ID, gone.ID)
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: gone.ID}))))
		records := []string{"comments", "occurrences", "attachments", "reactions"}
		of := func(s api.Slice) []int { return w.rows(t, db, " WHERE slice_id = '"+s.ID+"'", records...) }
		before, files, left := of(kept), of(gone)[2], sum(of(gone))
		unreferenced := w.rows(t, db, "", "unreferenced_blobs")[0]
		const limit, leastSteps = 4, 6 // the records of a step, and the steps that all of them take
		steps := 0
		for complete := false; !complete; steps++ {
			var err error
			complete, err = store.Write(ctx, w.store, func(tx *store.Tx) (bool, error) {
				return tx.PurgeSlices([]string{gone.ID}, api.At(w.now), limit)
			})
			must(t, err)
			w.checkByteCounts(t)
			now := sum(of(gone))
			if now < left-limit {
				t.Errorf("step %d deleted %d records", steps, left-now)
			}
			left = now
		}
		if left != 0 || steps < leastSteps {
			t.Errorf("%d records are left after %d steps", left, steps)
		}
		assert.Equal(t, "unreferenced files", w.rows(t, db, "", "unreferenced_blobs")[0]-unreferenced, files)
		assert.Equal(t, "the records of the other slice", of(kept), before)
		assert.Equal(t, "events with content",
			w.rows(t, db, " WHERE subject_id = '"+gone.ID+"' AND data <> '{\"purged\":true}'",
				"events"), []int{0})
		assert.Equal(t, "live duplicates", w.rows(t, db, " WHERE duplicate_of_id IS NOT NULL", "slices"), []int{0})
	})
}

// TestDeletionInSteps: the deletion of a workspace deletes a limited number of records in a transaction; the last one
// finds none but those of which a workspace has few. Another workspace keeps what it has.
func TestDeletionInSteps(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		ctx, db := t.Context(), w.database(t)
		other := w.workspace
		w.crowd(t, "kept")
		made, err := w.newWorkspace(w.owner, "gone", "GONE")
		must(t, err)
		own := made.ID
		w.workspace = own
		w.setMetadataKeys(t, own, "k")
		first := w.crowd(t, "first")
		for i := range 5 {
			w.resolveAs(t, w.crowd(t, fmt.Sprint("duplicate ", i)).ID, first.ID)
		}
		tables := []string{"slices", "events", "recurring_slices", "slice_statistics", "attachments"}
		mine, theirs := " WHERE workspace_id = '"+own+"'", " WHERE workspace_id = '"+other+"'"
		before, left := w.rows(t, db, theirs, tables...), w.rows(t, db, mine, tables...)
		if slices.Contains(left, 0) {
			t.Fatalf("there is nothing to delete: %v", left)
		}
		must(t, w.store.Write(ctx, func(tx *store.Tx) error { return tx.CloseWorkspace(own, api.At(w.now)) }))
		for more := true; more; {
			more, err = store.Write(ctx, w.store,
				func(tx *store.Tx) (bool, error) { return tx.ClearWorkspace(own, api.At(w.now), 2, 4) })
			must(t, err)
			now := w.rows(t, db, mine, tables...)
			if sum(now) < sum(left)-24 { // four records, and what two slices have few of
				t.Errorf("a transaction left %v of %v", now, left)
			}
			left = now
		}
		assert.Equal(t, "what the last transaction deletes", sum(left), 0)
		must(t, w.store.Write(ctx, func(tx *store.Tx) error { return tx.DeleteClearedWorkspace(own) }))
		assert.Equal(t, "the other workspace", w.rows(t, db, theirs, tables...), before)
		w.workspace = other
		w.checkByteCounts(t)
	})
}
