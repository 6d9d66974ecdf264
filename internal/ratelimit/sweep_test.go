package ratelimit

import (
	"strconv"
	"testing"
	"time"
)

// TestFullBucketsAreDeleted: the buckets of many addresses are deleted when they are full again, also within a
// minute, and no other bucket is.
func TestFullBucketsAreDeleted(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := New(60, func() time.Time { return now })
	for l.Allow("busy").Allowed {
		now = now.Add(time.Millisecond)
	}
	for i := range 100000 {
		l.Allow(strconv.Itoa(i))
		if i%10 == 0 {
			now = now.Add(time.Millisecond) // 10000 buckets a second, each full again after one
		}
		if len(l.buckets) > 5*minSweepSize {
			t.Fatalf("%d buckets after %d requests", len(l.buckets), i)
		}
	}
	if l.buckets["busy"] == nil {
		t.Error("one that was not full is forgotten")
	}
	now = now.Add(2 * time.Minute)
	l.Allow("k")
	if len(l.buckets) != 1 {
		t.Errorf("%d buckets after two minutes", len(l.buckets))
	}
	if len(l.buckets) != 1 {
		t.Error("to look makes a bucket")
	}
}
