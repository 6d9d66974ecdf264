package ratelimit_test

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugslice/internal/ratelimit"
)

// TestClockGoesBack: no bucket is refilled twice for the same time, even when the clock goes back.
func TestClockGoesBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		begin := time.Unix(1e9, 0)
		now, latest, passed := begin, begin, 0
		l := ratelimit.New(60, func() time.Time { return now })
		for range rapid.IntRange(1, 300).Draw(r, "requests") {
			now = begin.Add(time.Duration(rapid.IntRange(0, 20000).Draw(r, "at")) * time.Millisecond)
			if now.After(latest) {
				latest = now
			}
			if l.Allow("k").Allowed {
				passed++
			}
			if budget := 60 + latest.Sub(begin).Seconds(); float64(passed) > budget+1e-6 {
				r.Fatalf("%d passed of %f", passed, budget)
			}
		}
	})
}

// TestConcurrentRequests: concurrent requests take each token once.
func TestConcurrentRequests(t *testing.T) {
	const limit = 100
	now := time.Unix(1e9, 0)
	l := ratelimit.New(limit, func() time.Time { return now })
	var passed atomic.Int64
	var work sync.WaitGroup
	for range 16 {
		work.Go(func() {
			for range 50 {
				if l.Allow("k").Allowed {
					passed.Add(1)
				}
			}
		})
	}
	work.Wait()
	if passed.Load() != limit {
		t.Errorf("%d passed of %d", passed.Load(), limit)
	}
}

// TestLimit: at any times, no more requests are allowed than a full bucket and its refill.
func TestLimit(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limit := rapid.IntRange(1, 120).Draw(r, "limit")
		now := time.Unix(1e9, 0)
		begin := now
		l := ratelimit.New(limit, func() time.Time { return now })
		passed := 0
		for range rapid.IntRange(1, 300).Draw(r, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 900).Draw(r, "pause")) * time.Millisecond)
			d := l.Allow("k")
			if d.Allowed {
				passed++
			}
			if d.Limit != limit || d.Remaining < 0 || d.Remaining > limit {
				r.Fatalf("%d remain of %d, want 0 to %d of %d", d.Remaining, d.Limit, limit, limit)
			}
			if d.Allowed != (d.RetryAfter == 0) {
				r.Fatalf("allowed is %v, and to be retried after %v", d.Allowed, d.RetryAfter)
			}
			if budget := float64(limit) * (1 + now.Sub(begin).Minutes()); float64(passed) > budget+1e-6 {
				r.Fatalf("%d passed of %f", passed, budget)
			}
		}
		d := l.Allow("k")
		now = now.Add(d.RetryAfter)
		if !d.Allowed && !l.Allow("k").Allowed {
			r.Fatal("refused after the time to retry")
		}
		if !l.Allow("other").Allowed {
			r.Fatal("one key's use counts for another")
		}
	})
}

func TestClientKey(t *testing.T) {
	for a, want := range map[string]string{"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8:1:2:3::4": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64"} {
		if got := ratelimit.ClientKey(netip.MustParseAddr(a)); got != want {
			t.Errorf("%s: %s", a, got)
		}
	}
}
