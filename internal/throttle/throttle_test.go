package throttle_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"bugslice/internal/throttle"
)

// fail makes an attempt that fails, and returns the time to wait for one.
func fail(t *throttle.Throttle, key string) time.Duration {
	a, wait := t.Reserve(key)
	if a != nil {
		a.Fail()
	}
	return wait
}

// attempt makes an attempt that succeeds, and returns the time to wait for one.
func attempt(t *throttle.Throttle, key string) time.Duration {
	a, wait := t.Reserve(key)
	a.Release()
	return wait
}

// TestThrottle: after a number of failures in a window, one attempt is served in each pause, until the failures are
// older than the window. Other keys are not slowed down.
func TestThrottle(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	th := throttle.New(throttle.Limit{Failures: 3, Window: 10 * time.Minute, Pause: 30 * time.Second},
		func() time.Time { return now })
	wants := func(what string, want time.Duration) {
		t.Helper()
		if got := attempt(th, "a"); got != want {
			t.Errorf("%s: wait %s, want %s", what, got, want)
		}
	}
	wants("before any failure", 0)
	fail(th, "a")
	fail(th, "a")
	wants("below the limit", 0)
	fail(th, "a")
	wants("at the limit", 30*time.Second)
	if got := attempt(th, "b"); got != 0 {
		t.Errorf("another key waits %s", got)
	}
	now = now.Add(29 * time.Second)
	wants("before the pause has ended", time.Second)
	now = now.Add(time.Second)
	wants("after the pause", 0)
	wants("a second attempt after the same pause", 30*time.Second)
	now = now.Add(30 * time.Second)
	if got := fail(th, "a"); got != 0 {
		t.Errorf("after another pause: wait %s", got)
	}
	wants("after another failure", 30*time.Second)
	now = now.Add(9 * time.Minute)
	wants("when the first failures are older than the window", 0)
	wants("again, since it is not slowed down", 0)
	now = now.Add(10 * time.Minute)
	wants("when all failures are older than the window", 0)
}

// TestThrottleCountsAttemptsInProgress: attempts that have not ended count like failures, and each ends once.
func TestThrottleCountsAttemptsInProgress(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	th := throttle.New(throttle.Limit{Failures: 3, Window: time.Hour, Pause: 30 * time.Second},
		func() time.Time { return now })
	var mu sync.Mutex
	var begun []*throttle.Attempt
	var work sync.WaitGroup
	for range 100 {
		work.Go(func() {
			if a, _ := th.Reserve("a"); a != nil {
				mu.Lock()
				defer mu.Unlock()
				begun = append(begun, a)
			}
		})
	}
	work.Wait()
	if len(begun) != 3 {
		t.Fatalf("%d attempts are in progress, want 3", len(begun))
	}
	if _, wait := th.Reserve("a"); wait != time.Second {
		t.Errorf("waits %s for an attempt in progress", wait)
	}
	begun[0].Release()
	begun[0].Release()
	begun[0].Fail()
	for n := range 2 {
		a, wait := th.Reserve("a")
		if (a != nil) != (n == 0) {
			t.Errorf("attempt %d after one was released: wait %s", n, wait)
		}
		defer a.Release()
	}
	begun[1].Fail()
	begun[2].Fail()
	begun[2].Fail()
	if got := fail(th, "b"); got != 0 {
		t.Errorf("another key waits %s", got)
	}
	if _, wait := th.Reserve("a"); wait != time.Second { // two failures, one attempt in progress
		t.Errorf("waits %s", wait)
	}
}

// TestThrottleIsBounded: failures under many keys take bounded memory. The newest ones stay, and so does an attempt
// in progress.
func TestThrottleIsBounded(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	th := throttle.New(throttle.Limit{Failures: 1, Window: time.Hour, Pause: time.Minute},
		func() time.Time { return now })
	begun, _ := th.Reserve("in progress")
	for n := range 20_003 {
		now = now.Add(time.Millisecond)
		fail(th, fmt.Sprint(n))
	}
	if _, wait := th.Reserve("in progress"); wait == 0 {
		t.Error("the attempt in progress is forgotten")
	}
	begun.Fail()
	if _, wait := th.Reserve("20002"); wait == 0 {
		t.Error("the newest failure is forgotten")
	}
	if _, wait := th.Reserve("5"); wait == 0 {
		t.Error("a recent failure is forgotten")
	}
	if _, wait := th.Reserve("0"); wait != 0 {
		t.Error("the oldest failure is remembered")
	}
}
