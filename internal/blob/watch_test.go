package blob

import (
	"context"
	"errors"
	"io"
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

// TestUnreachableBucket: operations on a bucket whose server refuses connections, or answers with errors, fail with
// ErrUnavailable, and the watch reports it until the server answers again.
func TestUnreachableBucket(t *testing.T) {
	t.Parallel()
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
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
			for what, err := range map[string]error{"Put": putErr, "Open": openErr, "Delete": w.Delete(ctx, key),
				"Check": w.Check(ctx)} {
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

// silent is a storage that answers when it is told to.
type silent struct {
	Store
	answer chan struct{}
}

func (s silent) Open(ctx context.Context, key string) (Reader, error) {
	select {
	case <-s.answer:
		return s.Store.Open(ctx, key)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestSilentStorage: a storage has a bounded time to open a blob, and less when it did not answer last. When it
// answers in that time, the blob is read to its end, however long that takes.
func TestSilentStorage(t *testing.T) {
	t.Parallel()
	d, err := openDir(t.TempDir())
	must(t, err)
	key := id.New(id.Blob)
	_, err = d.Put(t.Context(), key, strings.NewReader("text"))
	must(t, err)
	s := silent{d, make(chan struct{})}
	w := NewWatch(s)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, timeout := range []time.Duration{openTimeout, awayTimeout} {
		started := time.Now()
		if _, err := w.Open(ctx, key); !errors.Is(err, ErrUnavailable) || ctx.Err() != nil ||
			time.Since(started) < timeout {
			t.Errorf("a storage that is silent, after %v of %v: %v", time.Since(started), timeout, err)
		}
	}
	close(s.answer)
	r, err := w.Open(ctx, key)
	must(t, err)
	time.Sleep(2 * awayTimeout)
	if text, err := io.ReadAll(r); string(text) != "text" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	must(t, r.Close())
	if w.Unavailable() != nil {
		t.Error("it has answered and counts as unavailable")
	}
}

// stalled is a blob that can be opened and not read.
type stalled struct {
	Store
	Reader
	ctx context.Context
}

func (s stalled) Open(ctx context.Context, _ string) (Reader, error) { s.ctx = ctx; return s, nil }

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (s stalled) Close() error { return nil }

// TestBriefReader: who has something else to show waits less for a storage that does not answer, whether it opens a
// blob or reads one, and then no more.
func TestBriefReader(t *testing.T) {
	t.Parallel()
	d, err := openDir(t.TempDir())
	must(t, err)
	for name, s := range map[string]Store{"open": silent{d, make(chan struct{})}, "read": stalled{Store: d}} {
		w := NewWatch(s)
		ctx, started := Briefly(t.Context()), time.Now()
		read := func() error {
			r, err := w.Open(ctx, id.New(id.Blob))
			if err == nil {
				_, err = r.Read(make([]byte, 1))
				_ = r.Close()
			}
			return err
		}
		for range 5 {
			if err := read(); !errors.Is(err, ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if took := time.Since(started); took < briefTimeout || took > 2*briefTimeout {
			t.Errorf("%s: five blobs took %v, want about %v", name, took, briefTimeout)
		}
		if w.Unavailable() == nil || w.Failures() != 1 {
			t.Errorf("%s: %d failures, unavailable: %v", name, w.Failures(), w.Unavailable())
		}
	}
}

// TestReadOnlyCheck: the check of a storage that this node may only read writes nothing, so that it succeeds where
// nothing can be written.
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
