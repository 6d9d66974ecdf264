package store_test

import (
	"errors"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/store"
)

// TestCheckOfTheIndex: a check finds a term that is missing, one too many, a document that is missing, and one of no
// slice. A rebuild repairs all, also one that was interrupted, and until its end there is neither a check nor a list
// with filters.
func TestCheckOfTheIndex(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		_, workspace := seed(t, s)
		var all []store.Slice
		for n := range int64(250) {
			all = append(all, fileFor(t, s, workspace, n+1, time.Now(), "a"))
		}
		check := func() store.IndexCheck {
			t.Helper()
			last := int64(0)
			c, err := s.CheckIndex(t.Context(), func(done, all int64) { last = all - done })
			must(t, err)
			assert.Equal(t, "slices", c.Slices, int64(250))
			assert.Equal(t, "remaining", last, int64(0))
			return c
		}
		assert.Equal(t, "faults", check().Faults, int64(0))
		row := all[7].Row
		tampering := map[string][]string{
			"sqlite": {
				"INSERT INTO slice_terms (slice_terms, rowid, terms) SELECT 'delete', row, substr(workspace_id, -10) || 'sopen' FROM slices WHERE number = 8",
				"INSERT INTO slice_terms (rowid, terms) SELECT row, substr(workspace_id, -10) || 'wmore' FROM slices WHERE number = 9",
				"INSERT INTO slice_terms (rowid, terms) VALUES (1000000000, 'other')",
			},
			"postgres": {
				"UPDATE slice_terms SET terms = ts_delete(terms, (SELECT substr(workspace_id, length(workspace_id) - 9) || 'sopen' FROM slices LIMIT 1)) WHERE row = (SELECT row FROM slices WHERE number = 8)",
				"UPDATE slice_terms SET terms = terms || array_to_tsvector(ARRAY['more']) WHERE row = (SELECT row FROM slices WHERE number = 9)",
				"INSERT INTO slice_terms (row, terms) VALUES (1000000000, array_to_tsvector(ARRAY['other']))",
			},
		}
		for n, text := range tampering[s.Engine()] {
			must(t, store.ExecWrite(t.Context(), s, text))
			assert.Equal(t, text, check().Faults, int64(n+1))
		}
		assert.Equal(t, "faulty", check().Faulty, []string{all[7].ID, all[8].ID, "document 1000000000"})
		open := store.SliceFilter{Workspaces: []string{workspace}, Words: []string{"s"}, Limit: 1000}
		found := func() (int, error) {
			slices, err := s.Read(t.Context()).Slices(open)
			return len(slices), err
		}
		must(t, s.Write(t.Context(), (*store.Tx).BeginIndex))
		for range 2 { // preparations, and the first slices
			must(t, s.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.AdvanceIndex(100); return err }))
		}
		changeSlice(t, s, all[3].ID, func(s *store.Slice) { s.Summary = "indexed" })
		changeSlice(t, s, all[203].ID, func(s *store.Slice) { s.Summary = "later" })
		if _, err := found(); !errors.Is(err, store.ErrIndexing) {
			t.Errorf("a list: %v", err)
		}
		if _, err := s.CheckIndex(t.Context(), func(int64, int64) {}); !errors.Is(err, store.ErrIndexing) {
			t.Errorf("a check: %v", err)
		}
		progress := []store.IndexBuild{}
		must(t, s.BuildIndex(t.Context(), func(b store.IndexBuild) { progress = append(progress, b) }))
		if last := progress[len(progress)-1]; last.AfterRow != last.UntilRow || last.UntilRow < row {
			t.Errorf("progress: %+v", progress)
		}
		assert.Equal(t, "faults", check().Faults, int64(0))
		n, err := found()
		must(t, err)
		assert.Equal(t, "slices with the word", n, 248)
	})
}
