package throttle_test

import (
	"fmt"
	"testing"
	"time"

	"bugslice/internal/throttle"
)

func TestThrottle(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	th := throttle.New(throttle.Limit{Failures: 3, Window: 10 * time.Minute, Pause: 30 * time.Second}, func() time.Time { return now })
	wants := func(what string, want time.Duration) {
		t.Helper()
		if got := th.Attempt("a"); got != want {
			t.Errorf("%s: wait %s, want %s", what, got, want)
		}
	}
	wants("before any failure", 0)
	th.Fail("a")
	th.Fail("a")
	wants("below the limit", 0)
	th.Fail("a")
	wants("at the limit", 30*time.Second)
	if got := th.Attempt("b"); got != 0 {
		t.Errorf("another key waits %s", got)
	}
	now = now.Add(29 * time.Second)
	wants("before the pause has ended", time.Second)
	now = now.Add(time.Second)
	wants("after the pause", 0)
	wants("a second attempt after the same pause", 30*time.Second)
	now = now.Add(30 * time.Second)
	wants("after another pause", 0)
	th.Fail("a")
	wants("after another failure", 30*time.Second)
	now = now.Add(9 * time.Minute)
	wants("when the first failures are older than the window", 0)
	wants("again, since it is not slowed down", 0)
	now = now.Add(10 * time.Minute)
	wants("when all are", 0)
}

// TestThrottleIsBounded: whoever fails under many keys does not take memory without bound, and the newest failures stay.
func TestThrottleIsBounded(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	th := throttle.New(throttle.Limit{Failures: 1, Window: time.Hour, Pause: time.Minute}, func() time.Time { return now })
	for n := range 20_003 {
		now = now.Add(time.Millisecond)
		th.Fail(fmt.Sprint(n))
	}
	if th.Attempt("0") != 0 || th.Attempt("2") != 0 {
		t.Error("the oldest failures are remembered")
	}
	if th.Attempt("20002") == 0 || th.Attempt("3") == 0 {
		t.Error("the newest failures are forgotten")
	}
}
