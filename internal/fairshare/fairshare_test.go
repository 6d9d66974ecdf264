package fairshare

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// TestShares: an organisation has at most half of the slots, and at least one; all organisations together have all
// slots; and nothing is stored of an organisation without a slot.
func TestShares(t *testing.T) {
	for cores, want := range map[int][2]int64{1: {1, 1}, 2: {1, 2}, 3: {1, 3}, 8: {4, 8}} {
		synctest.Test(t, func(t *testing.T) {
			l := New(cores)
			var counting sync.Mutex
			var one, all, mostOne, mostAll int64
			add := func(change int64, n, most *int64) {
				counting.Lock()
				defer counting.Unlock()
				*n += change
				*most = max(*most, *n)
			}
			count := func(n, most *int64) func() {
				add(1, n, most)
				return func() { add(-1, n, most) }
			}
			var work sync.WaitGroup
			for org, requests := range map[string]int{"a": 200, "b": 20, "c": 20, "d": 20} { // at the end, a is alone
				for range requests {
					work.Go(func() {
						s, err := l.Acquire(t.Context(), org)
						if err != nil {
							t.Error(err)
							return
						}
						defer s.Release()
						defer count(&all, &mostAll)()
						if org == "a" {
							defer count(&one, &mostOne)()
						}
						time.Sleep(time.Second)
					})
				}
			}
			work.Wait()
			if got := [2]int64{mostOne, mostAll}; got != want || len(l.orgs) != 0 {
				t.Errorf("%d cores: one organisation and all had %v, want %v; %d remembered", cores, got, want,
					len(l.orgs))
			}
		})
	}
}

// TestOrder: an organisation's slots are acquired in the order in which they were asked for, and many waiting
// requests of one organisation delay no other.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(2)
		var order []int
		for i := range 10 {
			go func() {
				s, _ := l.Acquire(t.Context(), "a")
				order = append(order, i)
				time.Sleep(time.Second)
				s.Release()
			}()
			synctest.Wait()
		}
		began := time.Now()
		s, err := l.Acquire(t.Context(), "b")
		if err != nil || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		s.Release()
		time.Sleep(20 * time.Second)
		for i, n := range order {
			if i != n {
				t.Fatalf("%v", order)
			}
		}
	})
}

// TestCancel: a cancelled Acquire takes no slot, and a second Release does nothing.
func TestCancel(t *testing.T) {
	l := New(2)
	first, err := l.Acquire(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	second, err := l.Acquire(ended, "a")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	second.Release()
	first.Release()
	first.Release()
	for range 3 {
		s, err := l.Acquire(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		s.Release()
	}
	if len(l.orgs) != 0 {
		t.Errorf("%d remembered", len(l.orgs))
	}
}

// TestReadersAndWriters: they release the slot while they wait for the other side, and pass on every byte.
func TestReadersAndWriters(t *testing.T) {
	l := New(1)
	free := func() {
		t.Helper()
		s, err := l.Acquire(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		s.Release()
	}
	text := strings.Repeat("0123456789", 20_000)
	src := iotest.HalfReader(strings.NewReader(text))
	asked := 0
	r := l.Slot("a").Reader(t.Context(), readerFunc(func(p []byte) (int, error) {
		asked++
		free()
		return src.Read(p)
	}), func(r io.Reader) io.Reader { return iotest.OneByteReader(r) })
	got, err := io.ReadAll(r)
	free()
	if err != nil || string(got) != text {
		t.Errorf("%d other bytes than the %d sent: %v", len(got), len(text), err)
	}
	if asked == 0 {
		t.Error("the source was never read")
	}
	s, err := l.Acquire(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := s.Writer(t.Context(), writerFunc(func(p []byte) (int, error) {
		free()
		return b.Write(p)
	}))
	if _, err := io.WriteString(w, text); err != nil || b.String() != text {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
	busy, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := l.Acquire(busy, "a"); err == nil {
		t.Error("the slot was not acquired again")
	}
	s.Release()
	free()
	broken := l.Slot("a").Reader(t.Context(), iotest.ErrReader(io.ErrClosedPipe),
		func(r io.Reader) io.Reader { return r })
	if _, err := broken.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
