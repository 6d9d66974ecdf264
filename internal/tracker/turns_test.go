package tracker

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestTurns: large bodies of one organisation wait until there is room for them, small ones and
// those that are ended do not, and those of another organisation have room of their own.
func TestTurns(t *testing.T) {
	tr := &Tracker{turns: newTurns()}
	one, other := Caller{Organization: api.OrganizationRef{ID: "org_one"}}, Caller{Organization: api.OrganizationRef{ID: "org_other"}}
	first, err := tr.Turn(t.Context(), one, 10<<20)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan func())
	go func() {
		done, _ := tr.Turn(context.Background(), one, 100<<20)
		second <- done
	}()
	for c, size := range map[*Caller]int{&one: uncounted - 1, &other: 100 << 20} {
		done, err := tr.Turn(t.Context(), *c, size)
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	ended, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := tr.Turn(ended, one, 10<<20); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	select {
	case <-second:
		t.Fatal("two large bodies at once")
	default:
	}
	first()
	(<-second)()
	done, err := tr.Turn(t.Context(), one, atOnce)
	if err != nil {
		t.Fatal(err)
	}
	done()
}

// TestHolds: more than its share an organisation does not hold in memory, and another one has its
// own; what is let go of can be held again.
func TestHolds(t *testing.T) {
	tr := &Tracker{turns: newTurns()}
	one, other := Caller{Organization: api.OrganizationRef{ID: "org_one"}}, Caller{Organization: api.OrganizationRef{ID: "org_other"}}
	first, err := tr.Hold(one, shareHeld-1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var refused *api.Problem
	if _, err := tr.Hold(one, 2<<20); !errors.As(err, &refused) || refused.Code != api.CodeUnavailable {
		t.Errorf("%v", err)
	}
	if _, err := tr.Hold(one, uncounted-1); err != nil {
		t.Error(err)
	}
	done, err := tr.Hold(other, shareHeld)
	if err != nil {
		t.Fatal(err)
	}
	done()
	first()
	if _, err := tr.Hold(one, shareHeld); err != nil {
		t.Error(err)
	}
}

// TestReadingEnds: what nobody waits for any more is not read on.
func TestReadingEnds(t *testing.T) {
	dir, err := blob.Open("", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	key, set := id.New(id.Blob), evidence.Set{Kind: api.KindReplay}
	for range 1000 {
		set.Rows = append(set.Rows, []byte("{}"))
	}
	if _, err := dir.Put(t.Context(), key, bytes.NewReader(set.Pack())); err != nil {
		t.Fatal(err)
	}
	tr := &Tracker{blobs: dir, derived: newDerived()}
	ctx, cancel := context.WithCancel(t.Context())
	read, a := 0, store.Attachment{Blob: key}
	a.Kind, a.Size = set.Kind, int64(len(set.Lines()))
	err = tr.rows(ctx, a, evidence.Want{}, func(int, []byte) (bool, error) {
		if read++; read == 10 {
			cancel()
		}
		return true, nil
	})
	if !errors.Is(err, context.Canceled) || read != 10 {
		t.Errorf("%d rows, %v", read, err)
	}
}
