package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Watch is a Store that remembers whether the storage answered last, and counts the operations that it did not carry
// out. Before the first operation the storage counts as available.
type Watch struct {
	Store
	failures atomic.Int64
	last     atomic.Pointer[error]
}

// NewWatch returns a Watch of a storage. That of no storage is nil, which has no failures.
func NewWatch(s Store) *Watch {
	if s == nil {
		return nil
	}
	return &Watch{Store: s}
}

// Failures returns how many operations failed because the storage could not be reached or written.
func (w *Watch) Failures() int64 {
	if w == nil {
		return 0
	}
	return w.failures.Load()
}

// Unavailable returns why the last operation could not reach or write the storage, nil when it could.
func (w *Watch) Unavailable() error {
	if w == nil {
		return nil
	}
	if err := w.last.Load(); err != nil {
		return *err
	}
	return nil
}

// observe records the result of an operation, and returns it. It ignores operations that their caller ended.
func (w *Watch) observe(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrUnavailable) && !errors.Is(ctx.Err(), context.Canceled):
		w.failures.Add(1)
		w.last.Store(&err)
	case err == nil || errors.Is(err, ErrNotFound):
		w.last.Store(nil)
	}
	return err
}

// Put is that of the Store.
func (w *Watch) Put(ctx context.Context, key string, r io.Reader) (Info, error) {
	info, err := w.Store.Put(ctx, key, r)
	return info, w.observe(ctx, err)
}

// Times for which Open, and each read of a blob, wait for the storage.
const (
	openTimeout  = 3 * time.Second
	briefTimeout = 700 * time.Millisecond // of a reader that has something else to show
	awayTimeout  = 300 * time.Millisecond // of a storage that did not answer last
)

type patienceKey struct{}

// patience is whether a storage has let a reader wait in vain.
type patience struct{ over atomic.Bool }

// Briefly returns a context in which Open waits briefTimeout at most, and no more once a storage did not answer. A
// page opens a file for each of its panels.
func Briefly(ctx context.Context) context.Context {
	return context.WithValue(ctx, patienceKey{}, &patience{})
}

// timeout returns how long to wait for the storage. The patience is nil outside of Briefly.
func (w *Watch) timeout(ctx context.Context) (time.Duration, *patience) {
	p, brief := ctx.Value(patienceKey{}).(*patience)
	timeout := openTimeout
	if brief {
		timeout = briefTimeout
	}
	if w.Unavailable() != nil {
		timeout = awayTimeout
	}
	return timeout, p
}

// Open is that of the Store. It returns ErrUnavailable when the storage does not answer in time. Check and Put wait
// longer, so that a storage that answers slowly is noticed, too.
func (w *Watch) Open(ctx context.Context, key string) (Reader, error) {
	timeout, p := w.timeout(ctx)
	if away := w.Unavailable(); p != nil && p.over.Load() && away != nil {
		return nil, away
	}
	limited, cancel := context.WithCancel(ctx)
	r := &limitedReader{ctx: ctx, cancel: cancel, watch: w, timeout: timeout, patience: p}
	err := r.limit(func() (err error) {
		r.Reader, err = w.Store.Open(limited, key)
		return err
	})
	if err != nil {
		if r.Reader != nil {
			_ = r.Reader.Close()
		}
		cancel()
		return nil, err
	}
	if r.timeout = openTimeout; p != nil {
		r.timeout = briefTimeout
	}
	return r, nil
}

// limitedReader is a Reader each of whose reads has a bounded time. Its context ends when it is closed.
type limitedReader struct {
	Reader
	ctx      context.Context // of who opened it
	cancel   context.CancelFunc
	watch    *Watch
	timeout  time.Duration
	patience *patience
}

// limit calls wait, which waits for the storage, and ends it after the timeout.
func (r *limitedReader) limit(wait func() error) error {
	timer := time.AfterFunc(r.timeout, r.cancel)
	err := wait()
	if inTime := timer.Stop(); !inTime && r.ctx.Err() == nil {
		err = fmt.Errorf("%w: it did not answer within %v", ErrUnavailable, r.timeout)
	}
	if errors.Is(err, ErrUnavailable) && r.patience != nil {
		r.patience.over.Store(true)
	}
	return r.watch.observe(r.ctx, err)
}

// Read is that of the Reader. It returns ErrUnavailable when the storage does not answer in time.
func (r *limitedReader) Read(b []byte) (n int, err error) {
	limited := r.limit(func() error {
		n, err = r.Reader.Read(b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if limited != nil {
		return n, limited
	}
	return n, err
}

func (r *limitedReader) Close() error {
	defer r.cancel()
	return r.Reader.Close()
}

// Delete is that of the Store.
func (w *Watch) Delete(ctx context.Context, key string) error {
	return w.observe(ctx, w.Store.Delete(ctx, key))
}

// Check is that of the Store.
func (w *Watch) Check(ctx context.Context) error { return w.observe(ctx, w.Store.Check(ctx)) }
