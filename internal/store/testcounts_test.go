package store_test

import (
	"fmt"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/store/testcounts"
)

// TestMostTests: a workspace with the most tests counts those that it knows, and leaves new ones out. Another workspace
// has its own.
func TestMostTests(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		now := api.At(time.Now())
		count := func(workspaceID, run string, names ...string) (leftOut int) {
			r := testcounts.Run{WorkspaceID: workspaceID, Name: run, At: now, Now: now}
			for _, name := range names {
				r.Tests = append(r.Tests, api.TestCounts{Suite: "s", Name: name, Failed: 1})
			}
			must(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
				_, leftOut, err = tx.Tests().Count(r, 4)
				return err
			}))
			return leftOut
		}
		assert.Equal(t, "left out of the first run", count("a", "1", "1", "2", "3"), 0)
		assert.Equal(t, "left out of the second run", count("a", "2", "3", "4", "5", "6"), 2)
		assert.Equal(t, "left out of another workspace", count("b", "2", "3", "4", "5"), 0)
		found, err := s.Read(t.Context()).Tests().Tests(testcounts.Filter{WorkspaceID: "a"}, "failed", testcounts.Position{}, 9)
		must(t, err)
		var counts []string
		for _, test := range found {
			counts = append(counts, fmt.Sprint(test.Name, "×", test.Failed))
		}
		assert.Equal(t, "tests", len(counts), 4)
		assert.Equal(t, "the most failing one", counts[0], "3×2")
	})
}
