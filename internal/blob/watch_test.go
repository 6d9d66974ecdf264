package blob

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugslice/internal/id"
)

// TestUnreachableBucket: operations on a bucket whose server refuses connections, or answers with errors, fail with ErrUnavailable, and
// the watch reports it until the server answers again.
func TestUnreachableBucket(t *testing.T) {
	t.Parallel()
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer failing.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	_ = l.Close()
	for name, endpoint := range map[string]string{"refuses connections": closed, "answers 503": failing.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := openS3("s3://bucket?region=eu-north-1&path-style=true&endpoint="+endpoint, env)
			if err != nil {
				t.Fatal(err)
			}
			w := NewWatch(b)
			if w.Unavailable() != nil || w.Failures() != 0 {
				t.Error("a storage that was not used counts as unavailable")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			key := id.New(id.Blob)
			_, putErr := w.Put(ctx, key, strings.NewReader("text"))
			_, openErr := w.Open(ctx, key)
			for what, err := range map[string]error{"Put": putErr, "Open": openErr, "Delete": w.Delete(ctx, key), "Check": w.Check(ctx)} {
				if !errors.Is(err, ErrUnavailable) {
					t.Errorf("%s: %v, want ErrUnavailable", what, err)
				}
			}
			if w.Failures() != 4 || w.Unavailable() == nil {
				t.Errorf("%d failures of 4, %v", w.Failures(), w.Unavailable())
			}
		})
	}
}

// TestReadOnlyCheck: the check of a storage that this node may only read writes nothing, so that it succeeds where nothing can be written.
func TestReadOnlyCheck(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d, err := openDir(root)
	must(t, err)
	must(t, os.Remove(filepath.Join(root, tmpDir))) // root itself may write everywhere
	if err := d.Check(t.Context()); err == nil {
		t.Error("a directory without the place for temporary files counts as writable")
	}
	must(t, ReadOnly(d).Check(t.Context()))
}

// TestWatchRecovers: a storage that answers is available again, also when it has no such blob.
func TestWatchRecovers(t *testing.T) {
	t.Parallel()
	d, err := openDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := NewWatch(d)
	_ = w.observe(t.Context(), ErrUnavailable)
	if w.Unavailable() == nil {
		t.Fatal("the failure was not recorded")
	}
	if _, err := w.Open(t.Context(), id.New(id.Blob)); !errors.Is(err, ErrNotFound) || w.Unavailable() != nil {
		t.Errorf("after an answer: %v, %v", err, w.Unavailable())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _ = w.observe(ended, ErrUnavailable); w.Unavailable() != nil {
		t.Error("an operation that its caller ended counts as a failure")
	}
}
