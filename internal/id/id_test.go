package id_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"bugslice/internal/id"
)

func TestNewIsLaterThanEveryOther(t *testing.T) {
	const workers, each = 8, 2000
	all := make([][]string, workers)
	var work sync.WaitGroup
	for i := range all {
		work.Go(func() {
			for range each {
				all[i] = append(all[i], id.New(id.Slice))
			}
		})
	}
	work.Wait()
	seen := map[string]bool{}
	for _, one := range all {
		if !slices.IsSorted(one) {
			t.Error("ids of one goroutine are out of order")
		}
		for _, s := range one {
			if seen[s] {
				t.Fatalf("repeated: %s", s)
			}
			if !id.Valid(id.Slice, s) || time.Since(id.Time(s)).Abs() > time.Minute {
				t.Fatalf("not valid, or of another time: %s", s)
			}
			seen[s] = true
		}
	}
}

// TestNewIsLaterAlsoWhenTheClockGoesBack: a new id sorts after earlier ones, also when the clock goes back, here to
// the year 2000 of a synctest bubble.
func TestNewIsLaterAlsoWhenTheClockGoesBack(t *testing.T) {
	before := id.New(id.Slice)
	synctest.Test(t, func(t *testing.T) {
		for range 10000 { // more than one millisecond counts
			next := id.New(id.Slice)
			if next <= before || !id.Valid(id.Slice, next) {
				t.Fatalf("%s came after %s", next, before)
			}
			before = next
		}
	})
	if next := id.New(id.Slice); next <= before {
		t.Fatalf("%s came after %s", next, before)
	}
}

func TestLowestOutsideOfTheRange(t *testing.T) {
	for at, want := range map[time.Time]string{
		time.UnixMilli(0): "slc_00000000000000000000000000",
		time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC):     "slc_00000000000000000000000000",
		time.UnixMilli(1).Add(-time.Microsecond):        id.Lowest(id.Slice, time.UnixMilli(1)),
		time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC):    id.Lowest(id.Slice, time.UnixMilli(1<<48-1)),
		time.UnixMilli(1<<48 - 1).Add(time.Microsecond): id.Lowest(id.Slice, time.UnixMilli(1<<48-1)),
	} {
		if got := id.Lowest(id.Slice, at); got != want {
			t.Errorf("%v: %s, want %s", at, got, want)
		}
	}
	if !id.Time("").IsZero() || !id.Time("slc_8zzzzzzzzzzzzzzzzzzzzzzzzz").IsZero() {
		t.Error("a malformed id has a time")
	}
}

// TestIDsContainTheirTime: an id yields the time that it was made for, and ids sort by it.
func TestIDsContainTheirTime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(0, 1<<47).Draw(r, "at"))
		other := time.UnixMilli(rapid.Int64Range(0, 1<<47).Draw(r, "other"))
		s := id.At(id.Slice, at)
		if !id.Valid(id.Slice, s) || !id.Time(s).Equal(at) {
			r.Fatalf("%s is of %v, want %v", s, id.Time(s), at)
		}
		if (s >= id.Lowest(id.Slice, other)) != !at.Before(other) {
			r.Fatalf("the bound of %v and an id of %v disagree", other, at)
		}
	})
}

func TestValidRefuses(t *testing.T) {
	good := id.New(id.Key)
	for _, bad := range []string{"", "key_", good[:29], good + "0", "slc" + good[3:],
		"key_8" + good[5:], good[:29] + "u", good[:29] + "I", "key-" + good[4:], "key_00000000000000000000000000"} {
		if id.Valid(id.Key, bad) {
			t.Errorf("%q is taken for valid", bad)
		}
	}
}

func FuzzValid(f *testing.F) {
	f.Add("slc_01ja8m2c9tf3qb6h0v5r4x7kyz")
	f.Add("slc_")
	f.Fuzz(func(t *testing.T, s string) {
		at := id.Time(s)
		if id.Valid(id.Slice, s) && id.At(id.Slice, at)[:13] != s[:13] {
			t.Errorf("%q is valid, and its time %v is not", s, at)
		}
	})
}
