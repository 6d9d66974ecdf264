package ratelimit_test

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugslice/internal/ratelimit"
)

// TestBudgets: at any times, no more is taken from a bucket than it has at first and what is refilled, also when what
// was taken is returned; and a refusal takes nothing of the other bucket.
func TestBudgets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		now := time.Unix(1_000_000, 0)
		l := ratelimit.NewBudgets(func() time.Time { return now })
		small := ratelimit.Charge{Key: "small", Limit: int64(rapid.IntRange(1, 20).Draw(r, "small")), Per: time.Hour}
		large := ratelimit.Charge{Key: "large", Limit: 1000, Per: time.Minute}
		taken, passed := 0.0, 0.0
		for range rapid.IntRange(1, 200).Draw(r, "steps") {
			wait := rapid.IntRange(-10, 400).Draw(r, "seconds")
			now = now.Add(time.Duration(wait) * time.Second)
			passed += max(0, float64(wait))
			if ok, after := l.Take(small, large); ok {
				taken++
				if rapid.Bool().Draw(r, "returned") {
					l.Return(small, large)
					taken--
				}
			} else if after <= 0 || after > time.Hour {
				r.Fatalf("refused for %s", after)
			}
		}
		if most := float64(small.Limit) * (1 + passed/3600); taken > most+1e-6 {
			r.Fatalf("%g taken of %g", taken, most)
		}
	})
}

// TestBudgetsRetry: after the time that a refusal names, there is a token; a larger limit counts at once.
func TestBudgetsRetry(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	l := ratelimit.NewBudgets(func() time.Time { return now })
	c := ratelimit.Charge{Key: "a", Limit: 10, Per: time.Hour}
	for range 10 {
		if ok, _ := l.Take(c); !ok {
			t.Fatal("refused within the limit")
		}
	}
	ok, after := l.Take(c)
	if ok || after.Round(time.Second) != 6*time.Minute {
		t.Fatal(ok, after)
	}
	larger := c
	larger.Limit = 11
	if ok, _ := l.Take(larger); !ok {
		t.Error("the larger limit does not count")
	}
	now = now.Add(after + after)
	if ok, _ := l.Take(c); !ok {
		t.Error("refused after the time that was named")
	}
	for n := range 30_000 { // full buckets of others are forgotten, and this one is not
		now = now.Add(time.Second)
		l.Take(ratelimit.Charge{Key: strconv.Itoa(n), Limit: 600, Per: time.Minute})
	}
}
