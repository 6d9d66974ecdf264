package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Watch is a Store that remembers whether the storage answered last, and counts the operations that it did not carry out. Before the
// first operation the storage counts as available.
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

// Times for which Open waits for the storage. A page opens a file for each of its panels.
const (
	openTimeout = 5 * time.Second
	awayTimeout = 300 * time.Millisecond // of a storage that did not answer last
)

// Open is that of the Store. It returns ErrUnavailable after openTimeout, or after awayTimeout when the storage did not answer last. Check
// and Put wait longer, so that a storage that answers slowly is noticed, too.
func (w *Watch) Open(ctx context.Context, key string) (Reader, error) {
	timeout := openTimeout
	if w.Unavailable() != nil {
		timeout = awayTimeout
	}
	limited, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(timeout, cancel)
	r, err := w.Store.Open(limited, key)
	if inTime := timer.Stop(); !inTime && ctx.Err() == nil {
		if err == nil {
			_ = r.Close()
		}
		err = fmt.Errorf("%w: it did not answer within %v", ErrUnavailable, timeout)
	}
	if err = w.observe(ctx, err); err != nil {
		cancel()
		return nil, err
	}
	return limitedReader{r, cancel}, nil
}

// limitedReader is a Reader whose context ends when it is closed.
type limitedReader struct {
	Reader
	cancel context.CancelFunc
}

func (r limitedReader) Close() error {
	defer r.cancel()
	return r.Reader.Close()
}

// Delete is that of the Store.
func (w *Watch) Delete(ctx context.Context, key string) error {
	return w.observe(ctx, w.Store.Delete(ctx, key))
}

// Check is that of the Store.
func (w *Watch) Check(ctx context.Context) error { return w.observe(ctx, w.Store.Check(ctx)) }
