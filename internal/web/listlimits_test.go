package web

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/store"
)

// TestSlowSearches: a page whose search takes the database too long, or waits for the index, says so and what to do.
func TestSlowSearches(t *testing.T) {
	at := func(limit time.Duration) *world {
		file, made := inhabited(t)
		o := store.Options{Path: filepath.Join(t.TempDir(), "test.db"), TimeLimit: limit}
		must(t, os.WriteFile(o.Path, file, 0o600))
		w := newTracker(t, o)
		w.inhabitants = made
		return w.serve(t, table, nil)
	}
	for text, w := range map[string]*world{
		"The search would take too long. Choose one workspace, a shorter time": at(time.Nanosecond),
		"The index of reports is being built, of which 0 % is complete.":       at(0),
	} {
		must(t, w.store.Write(t.Context(), (*store.Tx).BeginIndex))
		a := w.signedIn(t, owner).get("/reports?q=checkout")
		assert.Equal(t, text, a.status, 503)
		assert.Contains(t, text, a.body, text, "Try again")
	}
}
