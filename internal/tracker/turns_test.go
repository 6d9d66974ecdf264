package tracker

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"

	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestTurns: large bodies wait until there is room for them, uncounted ones and those that are ended
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

// TestReadingEnds: what nobody waits for any more is not read on.
func TestReadingEnds(t *testing.T) {
	dir, err := blob.Open("", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	key := id.New(id.Blob)
	if _, err := dir.Put(t.Context(), key, bytes.NewReader(evidence.Pack(bytes.Repeat([]byte("{}\n"), 1000)))); err != nil {
		t.Fatal(err)
	}
	tr := &Tracker{blobs: dir}
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	err = tr.lines(ctx, store.Attachment{Blob: key}, func(int, []byte) (bool, error) {
		if read++; read == 10 {
			cancel()
		}
		return true, nil
	})
	if !errors.Is(err, context.Canceled) || read != 10 {
		t.Errorf("%d rows, %v", read, err)
	}
}
