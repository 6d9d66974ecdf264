package tracker

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestDerivedResultsAreCached: a result is computed once for concurrent and later requests, an error is computed
// again, and the memory of results is bounded.
func TestDerivedResultsAreCached(t *testing.T) {
	d := newDerivedCache()
	var made atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			v, err := cached(d, "slow", func() (string, int, error) {
				made.Add(1)
				time.Sleep(50 * time.Millisecond)
				return "value", 5, nil
			})
			if v != "value" || err != nil {
				t.Error(v, err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
	broken := errors.New("broken")
	for _, want := range []error{broken, broken, nil} {
		if _, err := cached(d, "failing", func() (int, int, error) { return 1, 1, want }); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	for i := range 200 {
		_, _ = cached(d, fmt.Sprint(i), func() (int, int, error) { return i, 1 << 20, nil })
		_, _ = cached(d, "slow", func() (string, int, error) {
			t.Error("the latest used goes first")
			return "", 0,
				nil
		})
	}
	_, _ = cached(d, "huge", func() (int, int, error) { return 0, maxEntryBytes, nil })
	if _, ok := d.get("huge"); ok || d.bytes > maxCacheBytes || d.recent.Len() != len(d.entries) ||
		len(d.entries) < 16 {
		t.Errorf("%d results of %d bytes", len(d.entries), d.bytes)
	}
	if v, err := cached(d, "199", func() (int, int, error) { return 0, 0, broken }); v != 199 || err != nil {
		t.Error(v, err)
	}
}
