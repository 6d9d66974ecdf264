package tracker_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// holding is a storage of files whose next deletion waits until it is released, or cancelled.
type holding struct {
	blob.Store
	began   chan struct{}
	release chan struct{}
	ended   chan error
}

func (h holding) Delete(ctx context.Context, key string) error {
	close(h.began)
	select {
	case <-h.release:
	case <-ctx.Done():
	}
	h.ended <- ctx.Err()
	return h.Store.Delete(ctx, key)
}

// TestLeaseOfALongJob: a job that runs for longer than its lease keeps it, and no other node runs it. One that has
// lost it ends, and does not end the lease of the other node.
func TestLeaseOfALongJob(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		files, err := blob.Open("", t.TempDir(), nil)
		must(t, err)
		held := holding{files, make(chan struct{}), make(chan struct{}), make(chan error, 1)}
		var elapsed atomic.Int64
		at := func() time.Time { return w.now.Add(time.Duration(elapsed.Load())) }
		w.with(t, func(o *tracker.Options) {
			o.Blobs, o.Now = held, at
			o.DatabaseClock = func(context.Context) (time.Time, bool, error) { return at(), true, nil }
		})
		must(t, w.BindFiles(t.Context()))
		must(t, w.store.Write(t.Context(),
			func(tx *store.Tx) error { return tx.ReserveBlobs([]string{"unknown"}, api.At(w.now)) }))
		var node sync.WaitGroup
		node.Go(func() { _, _ = w.RemoveFiles(t.Context()) })
		defer node.Wait()
		defer close(held.release)
		<-held.began

		elapsed.Store(int64(14 * time.Second)) // the lease has one second left
		lease := func() (until time.Time) {
			t.Helper()
			jobs, err := w.store.Read(t.Context()).Jobs()
			must(t, err)
			for _, j := range jobs {
				if j.Name == "remove files" && j.LeasedUntil != nil {
					until = j.LeasedUntil.Time
				}
			}
			return until
		}
		for !lease().After(at().Add(10 * time.Second)) {
			select {
			case err := <-held.ended:
				t.Fatalf("the job ended with its lease: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
		}
		elapsed.Store(int64(time.Minute)) // the node hangs for so long, and another one leases the job
		other := api.At(at().Add(time.Hour))
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.LeaseJob("remove files", api.At(at()), other, other)
			return err
		}))
		if err := <-held.ended; err == nil {
			t.Error("a job that has lost its lease was not cancelled")
		}
		node.Wait()
		if got := lease(); !got.Equal(other.Time) {
			t.Errorf("the other node has the lease until %s, want %s", got, other)
		}
	})
}

// TestJobsBesideTheRemovalOfFiles, which runs in a goroutine of its own: both are safe.
func TestJobsBesideTheRemovalOfFiles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		files, err := blob.Open("", t.TempDir(), nil)
		must(t, err)
		w.with(t, func(o *tracker.Options) { o.Blobs = files })
		must(t, w.BindFiles(t.Context()))
		var both sync.WaitGroup
		both.Go(func() {
			for range 20 {
				if _, err := w.RemoveFiles(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
		both.Go(func() {
			for range 20 {
				w.RunJobs(t.Context())
			}
		})
		both.Wait()
	})
}
