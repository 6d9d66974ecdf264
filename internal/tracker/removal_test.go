package tracker_test

import (
	"strings"
	"testing"
	"time"

	"bugslice/internal/blob"
	"bugslice/internal/id"
	"bugslice/internal/tracker"
)

// TestForeignFiles: the background work of a database leaves alone what it has not recorded, however
// old it is. The files of another instance are such.
func TestForeignFiles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		files, err := blob.Open("", t.TempDir(), nil)
		must(t, err)
		key := id.New(id.Blob)
		_, err = files.Put(t.Context(), key, strings.NewReader("of another instance"))
		must(t, err)
		w.with(t, func(o *tracker.Options) { o.Blobs = files })
		w.now = w.now.Add(30 * 24 * time.Hour)
		w.RunJobs(t.Context())
		r, err := files.Open(t.Context(), key)
		if err != nil {
			t.Fatalf("a file that this database never recorded: %v", err)
		}
		must(t, r.Close())
	})
}
