package disk

import (
	"math"
	"testing"
)

func TestLow(t *testing.T) {
	for floor, want := range map[int64]bool{0: false, 1: false, math.MaxInt64: true} {
		if got := New(floor, t.TempDir()).Low(); got != want {
			t.Errorf("floor %d: low is %v", floor, got)
		}
	}
	if New(1, "/nowhere/at/all").Low() {
		t.Error("a disk that cannot be asked is low")
	}
	var none *Watch
	if none.Low() {
		t.Error("no disk is low")
	}
}

// TestFullestDiskCounts: of several disks the fullest counts, and it is asked once in a while.
func TestFullestDiskCounts(t *testing.T) {
	asked := 0
	w := New(50, "a", "b", "c")
	w.stat = func(dir string) (uint64, error) {
		asked++
		return map[string]uint64{"a": 100, "b": 10, "c": 70}[dir], nil
	}
	for range 100 {
		if n, err := w.Free(); n != 10 || err != nil || !w.Low() {
			t.Fatalf("%d bytes are free, want 10: %v", n, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}
