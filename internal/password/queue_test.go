package password

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestQueue: two passwords are hashed at once and 32 wait, for at most 2 seconds. Those that wait too long, whose
// caller gives up, or that find the queue full leave it as it was.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := WithParams(Params{MemoryKiB: 64, Iterations: 1, Parallelism: 1})
		var release [concurrent]func()
		for i := range release {
			var err error
			if release[i], err = h.acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		waiting := make(chan error, maxQueued)
		for range maxQueued {
			go func() {
				_, _, err := h.Check(t.Context(), "correct horse", "")
				waiting <- err
			}()
		}
		synctest.Wait()
		if _, _, err := h.Check(t.Context(), "correct horse", ""); !errors.Is(err, ErrBusy) || time.Since(began) != 0 {
			t.Errorf("with a full queue: %v after %s", err, time.Since(began))
		}
		time.Sleep(maxWait / 2)
		release[0]()
		synctest.Wait()
		if len(waiting) != maxQueued {
			t.Fatalf("%d of %d were hashed in a slot that was released", len(waiting), maxQueued)
		}
		for range maxQueued {
			if err := <-waiting; err != nil {
				t.Error(err)
			}
		}
		var err error
		if release[0], err = h.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		began = time.Now()
		if _, _, err := h.Check(t.Context(), "correct horse", ""); !errors.Is(err, ErrBusy) ||
			time.Since(began) != maxWait {
			t.Errorf("without a slot: %v after %s", err, time.Since(began))
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := h.Check(ended, "correct horse", ""); !errors.Is(err, context.Canceled) {
			t.Errorf("of a caller that gave up: %v", err)
		}
		release[0]()
		release[1]()
		if _, _, err := h.Check(t.Context(), "correct horse", ""); err != nil || len(h.queued) != 0 ||
			len(h.slots) != 0 {
			t.Errorf("afterwards: %v, %d in the queue, %d in slots", err, len(h.queued), len(h.slots))
		}
	})
}
