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

// TestFreeSpaceIsRemembered: the free space is measured once a second.
func TestFreeSpaceIsRemembered(t *testing.T) {
	measured := 0
	w := NewFunc(50, func() (uint64, error) {
		measured++
		return 10, nil
	})
	for range 100 {
		if n, err := w.Free(); n != 10 || err != nil || !w.Low() {
			t.Fatalf("%d bytes are free, want 10: %v", n, err)
		}
	}
	if measured != 1 {
		t.Errorf("measured %d times", measured)
	}
}

func TestFullestDiskCounts(t *testing.T) {
	free := map[string]uint64{"a": 100, "b": 10, "c": 70}
	n, err := least([]string{"a", "b", "c"}, func(dir string) (uint64, error) { return free[dir], nil })
	if n != 10 || err != nil {
		t.Errorf("%d bytes are free, want 10: %v", n, err)
	}
}
