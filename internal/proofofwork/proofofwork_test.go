package proofofwork_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"bugslice/internal/proofofwork"
)

// TestAnswers: about one of 2^bits numbers is an answer, for its salt alone, and nothing but a decimal number is one.
func TestAnswers(t *testing.T) {
	t.Parallel()
	p := proofofwork.Puzzle{Salt: "salt", Bits: 8}
	found, other := 0, 0
	for n := range 256 * 40 {
		if p.SolvedBy(strconv.Itoa(n)) {
			found++
			if (proofofwork.Puzzle{Salt: "another", Bits: 8}).SolvedBy(strconv.Itoa(n)) {
				other++
			}
		}
	}
	if found < 15 || found > 80 || other > 5 {
		t.Errorf("%d answers of 10240 numbers, %d of them to another puzzle", found, other)
	}
	open := proofofwork.Puzzle{Salt: "salt"}
	for answer, want := range map[string]bool{"0": true, "12": true, "": false, "-1": false, "1a": false, " 1": false,
		"１":                     false,
		strings.Repeat("1", 16): true, strings.Repeat("1", 17): false} {
		if open.SolvedBy(answer) != want {
			t.Errorf("%q: %t", answer, !want)
		}
	}
}

// TestKnownAnswer: the script for pages computes the same (packages/capture/test/work.test.mjs has this answer, too).
func TestKnownAnswer(t *testing.T) {
	t.Parallel()
	p := proofofwork.Puzzle{Salt: "abcdefghijklmnopqrstuvwxyz", Bits: 12}
	for n := 0; ; n++ {
		if p.SolvedBy(strconv.Itoa(n)) {
			if n != 398 {
				t.Error(n)
			}
			return
		}
	}
}

// TestCostRises: a source that is used little asks for nothing, and one over its limit for the most.
func TestCostRises(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_020, 0)
	r := proofofwork.NewRate(func() time.Time { return now })
	last := 0
	var seen []string
	for range 200 {
		bits := proofofwork.Bits(r.Share("source", 60))
		if bits < last {
			t.Fatalf("the cost falls from %d to %d while the rate rises", last, bits)
		}
		if bits != last {
			seen = append(seen, strconv.Itoa(bits))
		}
		last = bits
	}
	if got := strings.Join(seen, " "); got != "14 16 18 20" {
		t.Error(got)
	}
	if bits := proofofwork.Bits(r.Share("other", 60)); bits != 0 {
		t.Errorf("another source asks for %d bits", bits)
	}
	now = now.Add(30 * time.Second)
	if bits := proofofwork.Bits(r.Share("source", 60)); bits != 20 {
		t.Errorf("half a minute later: %d", bits)
	}
	now = now.Add(3 * time.Minute)
	if bits := proofofwork.Bits(r.Share("source", 60)); bits != 0 {
		t.Errorf("minutes later: %d", bits)
	}
}

// TestMemoryIsBounded: requests for any number of keys keep few of them.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_020, 0)
	r := proofofwork.NewRate(func() time.Time { return now })
	for n := range 50_000 {
		r.Share(strconv.Itoa(n), 60)
	}
	if n := r.Keys(); n > 10_000 {
		t.Errorf("%d keys", n)
	}
}
