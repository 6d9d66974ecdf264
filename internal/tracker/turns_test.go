package tracker

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"
)

// TestTurns: large bodies wait until there is room for them, small ones and those that are ended
// do not.
func TestTurns(t *testing.T) {
	tr := &Tracker{turns: semaphore.NewWeighted(atOnce)}
	first, err := tr.Turn(t.Context(), 10<<20)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan func())
	go func() {
		done, _ := tr.Turn(context.Background(), 100<<20)
		second <- done
	}()
	for range 3 {
		done, err := tr.Turn(t.Context(), uncounted-1)
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	ended, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := tr.Turn(ended, 10<<20); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	select {
	case <-second:
		t.Fatal("two large bodies at once")
	default:
	}
	first()
	(<-second)()
	done, err := tr.Turn(t.Context(), atOnce)
	if err != nil {
		t.Fatal(err)
	}
	done()
}
