package id_test

import (
	"slices"
	"sync"
	"testing"
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
			if seen[s] || !id.Valid(id.Slice, s) || time.Since(id.Time(s)).Abs() > time.Minute {
				t.Fatalf("repeated or not valid: %s", s)
			}
			seen[s] = true
		}
	}
}

func TestTimes(t *testing.T) {
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
		renewed := id.Renew(id.Comment, s)
		if !id.Time(renewed).Equal(at) || renewed[4:16] != s[4:16] || renewed == s || !id.Valid(id.Comment, renewed) {
			r.Fatalf("renewed %s as %s", s, renewed)
		}
	})
}

func TestValidRefuses(t *testing.T) {
	good := id.New(id.Key)
	for _, bad := range []string{"", "key_", good[:29], good + "0", "slc" + good[3:], "key_8" + good[5:], good[:29] + "u", good[:29] + "I", "key-" + good[4:], "key_00000000000000000000000000"} {
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
