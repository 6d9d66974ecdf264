package store_test

import (
	"bytes"
	"io"
	"io/fs"
	"regexp"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// older stores a slice of before occurrences were stored: filed three times, with a file of each report.
func older(t *testing.T, s *store.Store, workspace string) store.Slice {
	t.Helper()
	filed := api.FromMillis(1_790_000_000_000)
	commit := "newest"
	newest := api.Occurrence{At: api.At(filed.Add(2 * time.Hour)), ReporterName: "nightly",
		Environment: api.Environment{Commit: &commit},
		Metadata:    map[string]string{"run": "3"}}
	slice := store.Slice{Slice: api.Slice{ID: id.New(id.Slice), WorkspaceID: workspace, Number: 1, Version: 1,
		Reporter:    api.Reporter{Type: "user", Name: "Ada"},
		SliceFields: api.SliceFields{Summary: "s", Status: api.Open}, OccurrenceCount: 3, AttachmentCount: 3,
		LastOccurrence: &newest, CreatedAt: filed, UpdatedAt: filed}}
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertSlice(&slice, store.Terms(slice.SliceFields, "")); err != nil {
			return err
		}
		for n := range 3 {
			a := store.Attachment{WorkspaceID: workspace, Blob: id.New(id.Blob), Entries: new(int64(1))}
			a.ID, a.SliceID, a.Kind, a.Occurrence = id.New(id.Attachment), slice.ID, api.KindConsole, 1
			a.CreatedAt = api.At(filed.Add(time.Duration(n) * time.Hour))
			if err := tx.ReserveBlobs([]string{a.Blob}, a.CreatedAt); err != nil {
				return err
			}
			if err := tx.InsertAttachment(a); err != nil {
				return err
			}
		}
		return tx.RecountStored()
	}))
	return slice
}

// wantOlder: of an older slice the first and the newest occurrence are stored and charged, and the files since the
// newest one are its own.
func wantOlder(t *testing.T, s *store.Store, of store.Slice) {
	t.Helper()
	q := s.Read(t.Context())
	all, err := q.Occurrences(of.ID, 100, 100)
	must(t, err)
	if len(all) != 2 {
		t.Fatalf("%d occurrences", len(all))
	}
	newest, first := all[0], all[1]
	if newest.Number != 3 || newest.Reporter.Name != "nightly" || newest.Environment.Commit == nil ||
		newest.Metadata["run"] != "3" ||
		newest.CreatedAt != of.LastOccurrence.At || !newest.HasEvidence {
		t.Errorf("the newest: %+v", newest)
	}
	if first.Number != 1 || first.Reporter.Name != "Ada" || first.Environment.Commit != nil ||
		first.CreatedAt != of.CreatedAt || !first.HasEvidence {
		t.Errorf("the first: %+v", first)
	}
	for number, want := range map[int64]int{1: 2, 2: 0, 3: 1} {
		sets, err := q.EvidenceOf(of.ID, number, api.KindConsole, 10)
		must(t, err)
		if len(sets) != want {
			t.Errorf("occurrence %d has %d files, not %d", number, len(sets), want)
		}
	}
	have, err := q.StoredBytes(of.WorkspaceID)
	must(t, err)
	measured, err := q.MeasureStored()
	must(t, err)
	if have != measured[of.WorkspaceID] {
		t.Errorf("charged: %d bytes, measured: %d", have, measured[of.WorkspaceID])
	}
}

// TestOccurrencesOfOlderSlices are added once.
func TestOccurrencesOfOlderSlices(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		_, workspace := seed(t, s)
		slice := older(t, s, workspace)
		for range 2 {
			must(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.AddMissingOccurrences(workspace) }))
			wantOlder(t, s, slice)
		}
	})
}

// TestInterruptedBackfill: a start after one that was killed between the migration and its backfill runs the
// backfill, and the next start does not run it again.
func TestInterruptedBackfill(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		slice := older(t, s, workspace)
		db, _ := rawDatabase(t, o)
		_, err := db.Exec("INSERT INTO pending_backfills (name) VALUES ('occurrences')")
		must(t, err)
		for range 2 {
			_, err := store.Migrate(t.Context(), o)
			must(t, err)
			wantOlder(t, s, slice)
		}
		_, err = db.Exec("DELETE FROM occurrences")
		must(t, err)
		_, err = store.Migrate(t.Context(), o)
		must(t, err)
		if all, err := s.Read(t.Context()).Occurrences(slice.ID, 100, 100); err != nil || len(all) > 0 {
			t.Errorf("the backfill ran again: %v, %v", all, err)
		}
	})
}

// TestLoadOfAnOlderDump: a backup from before occurrences were stored is loaded with those that its slices describe.
func TestLoadOfAnOlderDump(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		slice := older(t, s, workspace)
		tables := map[string]*bytes.Buffer{}
		_, err := s.Dump(t.Context(), func(table string) (io.Writer, error) {
			tables[table] = &bytes.Buffer{}
			return tables[table], nil
		})
		must(t, err)
		o = another(t, o)
		to, err := store.Open(o)
		must(t, err)
		defer to.Close()
		must(t, to.Load(t.Context(), func(table string) (io.ReadCloser, error) {
			text := tables[table].Bytes()
			switch table {
			case "occurrences":
				return nil, fs.ErrNotExist
			case "attachments":
				text = regexp.MustCompile(`"occurrence":1,`).ReplaceAll(text, nil)
			}
			return io.NopCloser(bytes.NewReader(text)), nil
		}, nil))
		wantOlder(t, to, slice)
		if o.URL == "" { // whose planner has no statistics
			return
		}
		db, _ := rawDatabase(t, o)
		var rows float64
		must(t, db.QueryRow("SELECT reltuples FROM pg_class WHERE oid = 'slices'::regclass").Scan(&rows))
		assert.Equal(t, "rows of slices that the planner knows of", int(rows), 1)
	})
}

// another returns an empty migrated database of the same engine.
func another(t *testing.T, o store.Options) store.Options {
	t.Helper()
	if o.URL == "" {
		o.Path = t.TempDir() + "/another.db"
	} else {
		url, err := storetest.Database()
		must(t, err)
		o.URL = url
	}
	_, err := store.Migrate(t.Context(), o)
	must(t, err)
	return o
}
