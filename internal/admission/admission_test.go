package admission

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"bugslice/api"
)

// check compares the accounts of a Limiter with the reservations that use memory.
func check(t interface{ Fatalf(string, ...any) }, l *Limiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range []*pool{l.small, l.large} {
		orgs, keys, node := map[string]int64{}, map[owner]int64{}, int64(0)
		for r := range p.elements {
			node += r.used
			orgs[r.owner.org] += r.used
			keys[r.owner] += r.used
		}
		checkAccount(t, "the node", &p.node, node, p.node.limit)
		if len(p.orgs) != len(orgs) || len(p.keys) != len(keys) {
			t.Fatalf("accounts of %d organisations and %d keys, of %d and %d", len(p.orgs), len(p.keys), len(orgs),
				len(keys))
		}
		for id, a := range p.orgs {
			checkAccount(t, id, a, orgs[id], p.node.limit/2)
		}
		for id, a := range p.keys {
			checkAccount(t, fmt.Sprint(id), a, keys[id], p.node.limit/2)
		}
	}
}

// checkAccount holds an account against the sum that its bodies use, and its limit.
func checkAccount(t interface{ Fatalf(string, ...any) }, who string, a *account, used, limit int64) {
	if a.used != used {
		t.Fatalf("%s uses %d, and its reservations %d", who, a.used, used)
	}
	if used < 0 || used > limit {
		t.Fatalf("%s uses %d of %d", who, used, limit)
	}
	if a.evicting < 0 || a.evicting > used {
		t.Fatalf("%s uses %d, of which %d are evicted", who, used, a.evicting)
	}
}

func code(err error) string {
	var p *api.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return fmt.Sprint(err)
}

// TestAccounts: after any operations no account exceeds its limit, memory is released exactly once, and nothing is used
// when all reservations are released.
func TestAccounts(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel() // nobody waits
	rapid.Check(t, func(t *rapid.T) {
		l := newLimiter(1<<20, 8<<20)
		var open []*Reservation
		pick := func(t *rapid.T) *Reservation {
			if len(open) == 0 {
				t.Skip("nothing is open")
			}
			return rapid.SampledFrom(open).Draw(t, "body")
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { check(t, l) },
			"open": func(t *rapid.T) {
				open = append(open, l.Reserve(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "org"),
					rapid.SampledFrom([]string{"k", "l"}).Draw(t, "key"), func() {}))
			},
			"grow":     func(t *rapid.T) { _ = pick(t).grow(ended, rapid.Int64Range(1, 2<<20).Draw(t, "bytes")) },
			"shrink":   func(t *rapid.T) { r := pick(t); r.shrink(r.used / 2) },
			"arrived":  func(t *rapid.T) { _ = pick(t).Transferred(rapid.IntRange(0, 1<<20).Draw(t, "bytes")) },
			"complete": func(t *rapid.T) { _ = pick(t).Complete() },
			"release":  func(t *rapid.T) { pick(t).Release() }, // again and again
			"later": func(*rapid.T) {
				for _, r := range open {
					r.rate.since = r.rate.since.Add(-7 * time.Second)
				}
			},
		})
		for _, r := range open {
			r.Release()
			r.Release()
			if err := r.grow(ended, 1); err == nil {
				t.Fatalf("a body that was released uses memory")
			}
		}
		check(t, l)
		if l.small.node.used+l.large.node.used != 0 {
			t.Fatalf("%d and %d bytes are still used", l.small.node.used, l.large.node.used)
		}
	})
}

// body opens a reservation of size bytes, all of which arrive at once.
func (l *Limiter) body(t *testing.T, org, key string, size int64) *Reservation {
	t.Helper()
	r := l.Reserve(org, key, func() {})
	if err := r.grow(t.Context(), size); err != nil {
		t.Fatalf("%s %s %d: %v", org, key, size, err)
	}
	_ = r.Transferred(int(size))
	return r
}

// TestNoEvictionBelowHalf: while less than half of the memory is used, a body that sends nothing for minutes is not
// evicted.
func TestNoEvictionBelowHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1<<20, 64<<20)
		idle := l.body(t, "a", "k", 15<<20)
		time.Sleep(5 * time.Minute)
		l.body(t, "a", "k", 1<<20)
		l.body(t, "b", "k", 1<<20)
		if err := idle.Transferred(0); err != nil {
			t.Error(err)
		}
	})
}

// TestSlowestAreEvicted: above half of the memory the slowest bodies are evicted, and no more than necessary; never
// those that are fast, new or complete.
func TestSlowestAreEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1<<20, 64<<20) // 32 MiB of an organisation
		ended := map[string]bool{}
		bodies := map[string]*Reservation{}
		open := func(name string) *Reservation {
			r := l.Reserve("a", name, func() { ended[name] = true })
			if err := r.grow(t.Context(), 3<<20); err != nil {
				t.Fatal(err)
			}
			bodies[name] = r
			return r
		}
		speeds := map[string]int{"stopped": 0, "slowest": 1 << 10, "slow": 4 << 10, "quick": 9 << 10}
		for name := range speeds {
			open(name)
		}
		_ = open("whole").Complete()
		for range 300 {
			time.Sleep(time.Second)
			for name, speed := range speeds {
				_ = bodies[name].Transferred(speed)
			}
		}
		if len(ended) > 0 {
			t.Fatalf("ended below half: %v", ended)
		}
		open("new") // 18 of 32 MiB
		if want := map[string]bool{"stopped": true}; fmt.Sprint(ended) != fmt.Sprint(want) {
			t.Errorf("ended %v, want %v", ended, want)
		}
		open("newer") // 18 again
		if want := map[string]bool{"stopped": true, "slowest": true}; fmt.Sprint(ended) != fmt.Sprint(want) {
			t.Errorf("ended %v, want %v", ended, want)
		}
		if err := bodies["stopped"].Transferred(0); code(err) != api.CodeRequestTimeout {
			t.Error(err)
		}
		check(t, l)
	})
}

// TestFullWithoutSlowBodies: a body beyond the limit of its organisation is refused at once when no body is slow.
// Another organisation is served, and released memory can be reserved again.
func TestFullWithoutSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1<<20, 64<<20)
		var open []*Reservation
		for i := range 4 {
			open = append(open, l.body(t, "a", fmt.Sprint(i), 7<<20))
		}
		began := time.Now()
		more := l.Reserve("a", "5", func() {})
		if err := more.grow(t.Context(), 7<<20); code(err) != api.CodeUnavailable || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		l.body(t, "b", "k", 30<<20).Release()
		open[0].Release()
		if err := more.grow(t.Context(), 7<<20); err != nil {
			t.Error(err)
		}
		check(t, l)
	})
}

// TestWaitForEvicted: a body waits until evicted bodies have released their memory.
func TestWaitForEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1<<20, 64<<20)
		for i := range 4 {
			var r *Reservation
			r = l.Reserve("a", fmt.Sprint(i), func() { time.AfterFunc(2*time.Second, func() { r.Release() }) })
			if err := r.grow(t.Context(), 8<<20); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		began := time.Now()
		r := l.body(t, "a", "new", 8<<20)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it waited %v", took)
		}
		r.Release()
		check(t, l)
	})
}

// TestLimitOfAKey: while more than half of its organisation's memory is used, a key uses at most a quarter of it. Its
// further bodies are served one after the other, and another key is served.
func TestLimitOfAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1<<20, 64<<20) // 32 MiB of an organisation, 8 of a key
		var served, refused atomic.Int64
		for i := range 12 {
			go func() {
				r := l.Reserve("a", "greedy", func() {})
				defer r.Release()
				for range 6 { // all of them arrive at once, piece by piece
					if err := r.grow(context.Background(), 1<<20); err != nil {
						refused.Add(1)
						return
					}
					time.Sleep(time.Duration(i+1) * time.Millisecond)
					_ = r.Transferred(1 << 20)
				}
				_ = r.Complete()
				time.Sleep(time.Second)
				served.Add(1)
			}()
		}
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		l.mu.Lock()
		used := l.large.keys[owner{"a", "greedy"}].used
		l.mu.Unlock()
		if used > 16<<20+6<<20 {
			t.Errorf("one key holds %d", used)
		}
		for range 2 {
			l.body(t, "a", "other", 4<<20) // at once
		}
		check(t, l)
		time.Sleep(2 * time.Minute)
		if served.Load() != 12 || refused.Load() != 0 {
			t.Errorf("%d were served and %d refused", served.Load(), refused.Load())
		}
	})
}

// TestWaitTimeout: no body waits longer than a minute, or after its request has ended, or when too many wait.
func TestWaitTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1<<20, 64<<20)
		l.body(t, "a", "k", 20<<20)
		began := time.Now()
		answers := make(chan string, maxWaiting+1)
		ctx, cancel := context.WithCancel(context.Background())
		for i := range maxWaiting + 1 {
			of := context.Background()
			if i == 0 {
				of = ctx
			}
			go func() { answers <- code(l.Reserve("a", "k", func() {}).grow(of, 1<<20)) }()
			synctest.Wait()
		}
		if got := <-answers; got != api.CodeUnavailable || time.Since(began) > 0 {
			t.Errorf("one too many: %s after %v", got, time.Since(began))
		}
		cancel()
		if got := <-answers; got != context.Canceled.Error() || time.Since(began) > 0 {
			t.Errorf("%s after %v", got, time.Since(began))
		}
		for range maxWaiting - 1 {
			if got := <-answers; got != api.CodeUnavailable || time.Since(began) != maxWait {
				t.Errorf("%s after %v", got, time.Since(began))
			}
		}
		synctest.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.large.waiting) != 0 {
			t.Error("somebody waits still")
		}
	})
}

// TestPoolOfSmallBodies: while large bodies use their whole limit, small ones are served, and small ones do not use
// more than their own limit.
func TestPoolOfSmallBodies(t *testing.T) {
	l := newLimiter(4<<20, 64<<20)
	for i := range 4 {
		l.body(t, "a", fmt.Sprint(i), 8<<20)
	}
	read, err := 0, error(nil)
	for err == nil {
		_, err = l.Reserve("a", fmt.Sprint("key ", read), func() {}).ReadAll(t.Context(),
			strings.NewReader(strings.Repeat("x", 60<<10)), -1)
		read++
	}
	if code(err) != api.CodeUnavailable || read != 32 { // the last finds no room for two buffers
		t.Errorf("%d, then %v", read, err)
	}
	check(t, l)
}

// TestReadAll: the bytes are those that were sent; memory is reserved for the bytes that arrive, not for the declared
// length.
func TestReadAll(t *testing.T) {
	for _, size := range []int64{0, 1, 1023, 1024, 1025, 5000, 64 << 10, 1<<20 + 7} {
		want := bytes.Repeat([]byte("0123456789abcdef"), int(size/16+1))[:size]
		for _, declared := range []int64{-1, 0, size - 1, size, size + 1, 10 * size, 1 << 40} {
			l := New()
			r := l.Reserve("a", "k", func() {})
			got, err := r.ReadAll(t.Context(), bytes.NewReader(want), declared)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d declared as %d: %d other bytes are read: %v", size, declared, len(got), err)
			}
			if r.used != int64(cap(got)) {
				t.Errorf("%d declared as %d: %d reserved, want the %d that are allocated", size, declared, r.used,
					cap(got))
			}
			if r.used > 2*size+firstBuffer {
				t.Errorf("%d declared as %d: %d reserved, want at most %d", size, declared, r.used, 2*size+firstBuffer)
			}
			if declared == size && r.used != min(size+1, max(firstBuffer, size+1)) {
				t.Errorf("%d bytes, as declared, use %d", size, r.used)
			}
			r.Release()
			check(t, l)
		}
	}
	cut := errors.New("cut")
	if got, err := New().Reserve("a", "k", nil).
		ReadAll(t.Context(), io.MultiReader(strings.NewReader("half"), iotest{cut}),
			100); !errors.Is(err, cut) || string(got) != "half" {
		t.Errorf("%q %v", got, err)
	}
}

// TestCount: a counting reader reserves twice the bytes that are read, up to a limit.
func TestCount(t *testing.T) {
	for size, want := range map[int]int64{0: 0, 1: 2, 1000: 2000, 5000: 8000} {
		l := New()
		r := l.Reserve("a", "k", func() {})
		got, err := io.ReadAll(r.Count(t.Context(), strings.NewReader(strings.Repeat("x", size)), 8000))
		if err != nil || len(got) != size {
			t.Errorf("%d bytes: %d are read: %v", size, len(got), err)
		}
		if r.used != want {
			t.Errorf("%d bytes reserve %d, want %d", size, r.used, want)
		}
	}
	l := newLimiter(1<<20, 4<<20)
	refused, err := io.Copy(io.Discard, l.Reserve("a", "k", func() {}).Count(t.Context(),
		strings.NewReader(strings.Repeat("x", 2<<20)), 8<<20))
	if code(err) != api.CodeUnavailable || refused > 1<<20+64<<10 {
		t.Errorf("%d bytes, then %v", refused, err)
	}
}

type iotest struct{ err error }

func (e iotest) Read([]byte) (int, error) { return 0, e.err }

// TestProcess: a large body waits while its organisation processes another one, until the processing ends or the
// reservation is released, each of which counts once. Small bodies, bodies of other organisations and
// requests that have ended do not wait.
func TestProcess(t *testing.T) {
	for name, end := range map[string]func(*Reservation){
		"ended":            (*Reservation).EndProcessing,
		"released":         (*Reservation).Release,
		"ended twice":      func(r *Reservation) { r.EndProcessing(); r.EndProcessing() },
		"ended, released":  func(r *Reservation) { r.EndProcessing(); r.Release() },
		"released, ended":  func(r *Reservation) { r.Release(); r.EndProcessing() },
		"processed anew":   func(r *Reservation) { _ = r.StartProcessing(t.Context(), 1); r.Release() },
		"released by both": func(r *Reservation) { r.Release(); r.Release() },
	} {
		synctest.Test(t, func(t *testing.T) { testProcess(t, name, end) })
	}
}

func testProcess(t *testing.T, name string, end func(*Reservation)) {
	l := New()
	process := func(org string, n int) (*Reservation, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := l.Reserve(org, "k", nil)
		return r, r.StartProcessing(ctx, n)
	}
	first, err := process("one", 10<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := process("one", 100<<20); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s: a second large body of the organisation: %v, want it to wait", name, err)
	}
	small, err := process("one", 64<<10-1)
	if err != nil {
		t.Errorf("%s: a small body: %v", name, err)
	}
	small.Release()
	other, err := process("other", 100<<20)
	if err != nil {
		t.Errorf("%s: a body of another organisation: %v", name, err)
	}
	other.Release()
	end(first)
	second, err := process("one", maxParallel)
	if err != nil {
		t.Errorf("%s: a large body afterwards: %v", name, err)
	}
	if _, err := process("one", 64<<10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s: a third body: %v, want it to wait: more was given back than taken", name, err)
	}
	second.Release()
}

// TestResponses: the responses of an organisation use at most half of the memory; more are refused at once. Those whose
// clients are slow are evicted for others; those that are not written yet are not.
func TestResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New()
		const size = maxResponses / 16
		ended := map[string]bool{}
		open := map[string]*Reservation{}
		for _, name := range []string{"not yet", "stuck", "quick", "taken"} {
			r, err := l.ReserveResponse("a", name, size, func() { ended[name] = true })
			if err != nil {
				t.Fatal(err)
			}
			open[name] = r
		}
		for _, name := range []string{"stuck", "quick", "taken"} {
			open[name].StartTransfer()
		}
		open["taken"].Release()
		if _, err := l.ReserveResponse("a", "new", maxResponses, nil); code(err) != api.CodeUnavailable ||
			len(ended) > 0 {
			t.Errorf("%v, ended %v", err, ended)
		}
		for range 12 {
			time.Sleep(time.Second)
			_ = open["quick"].Transferred(9 << 10)
		}
		more, err := l.ReserveResponse("a", "new", size*3, nil)
		if err != nil || !ended["stuck"] || len(ended) != 1 {
			t.Fatalf("ended %v, want the stuck one alone: %v", ended, err)
		}
		if got := code(open["stuck"].Transferred(0)); got != api.CodeRequestTimeout {
			t.Fatalf("the stuck one goes on with %s, want %s", got, api.CodeRequestTimeout)
		}
		if _, err := l.ReserveResponse("a", "new", size*3, nil); code(err) != api.CodeUnavailable {
			t.Errorf("beyond its half: %v", err)
		}
		open["stuck"].Release()
		if _, err := l.ReserveResponse("b", "new", size*8, nil); err != nil {
			t.Errorf("another organisation: %v", err)
		}
		for _, r := range []*Reservation{more, open["quick"], open["not yet"]} {
			r.Release()
		}
		if l.responses.orgs["a"] != nil {
			t.Error("an answer is still counted")
		}
	})
}
