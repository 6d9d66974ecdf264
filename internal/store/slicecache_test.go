package store

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
)

// TestSizeOfSlice: the estimated size of a slice includes the texts of each member.
func TestSizeOfSlice(t *testing.T) {
	long := strings.Repeat("x", 500)
	metadata, counts := map[string]string{}, map[string]int64{}
	for i := range 50 {
		metadata[fmt.Sprint(i, long)] = long
		counts[fmt.Sprint(i, long)] = 1
	}
	empty := sizeOf(Slice{})
	for name, c := range map[string]struct {
		bytes int
		slice Slice
	}{
		"metadata":    {50_000, Slice{Slice: api.Slice{SliceFields: api.SliceFields{Metadata: metadata}}}},
		"environment": {1000, Slice{Slice: api.Slice{SliceFields: api.SliceFields{Environment: api.Environment{Browser: &long, BuildURL: &long}}}}},
		"labels":      {1000, Slice{Slice: api.Slice{SliceFields: api.SliceFields{Labels: []string{long, long}}}}},
		"redaction":   {25_000, Slice{Slice: api.Slice{Redaction: &api.Redaction{Counts: counts}}}},
		"symptoms":    {1000, Slice{Symptoms: long + long}},
		"reporter":    {1000, Slice{Slice: api.Slice{Fingerprint: &long, Reporter: api.Reporter{Name: long}}}},
	} {
		if n := sizeOf(c.slice) - empty; n < c.bytes || n > c.bytes*3/2 {
			t.Errorf("%s of %d bytes: size %d", name, c.bytes, n)
		}
	}
}

// TestRowCache: a cache has values at their newest version, within its bytes, also when many at once put values of
// many sizes.
func TestRowCache(t *testing.T) {
	const most = 1000
	c := newRowCache[int64](most)
	c.put(1, 2, 20, 10)
	c.put(1, 1, 10, 10) // of a reader that was slower
	if v, ok := c.get(1, 2); !ok || v != 20 {
		t.Errorf("version 2: %d, %v", v, ok)
	}
	for _, version := range []int64{1, 3} {
		if v, ok := c.get(1, version); ok {
			t.Errorf("version %d: %d, want none", version, v)
		}
	}
	var work sync.WaitGroup
	for g := range int64(4) {
		work.Go(func() {
			for i := range int64(2000) {
				row, version := i%97, 3+i/97+g
				c.put(row, version, 1000*row+version, int(1+(i*g)%50))
				if v, ok := c.get(row, version); ok && v != 1000*row+version {
					t.Errorf("row %d at version %d: %d", row, version, v)
				}
				if n := c.size(); n > most {
					t.Errorf("%d bytes, want at most %d", n, most)
				}
			}
		})
	}
	work.Wait()
	sum := 0
	for _, cached := range c.rows {
		sum += cached.bytes
	}
	if sum != c.bytes || sum < most/2 {
		t.Errorf("the values have %d bytes, the cache counts %d", sum, c.bytes)
	}
	c.put(5000, 1, 1, most+1)
	if n := c.size(); n > most {
		t.Errorf("%d bytes after a value that is larger than the cache", n)
	}
}

// TestComparedBytes: the estimate of a compared slice is at least the memory that it takes, and at most twice as much.
func TestComparedBytes(t *testing.T) {
	var description strings.Builder
	for i := range 300 {
		fmt.Fprintf(&description, "word%d ", i)
	}
	row := func() comparedRow {
		text := description.String()
		c, err := scanCompared(scanned{int64(1), int64(1), "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", int64(1), api.Open,
			"Checkout does nothing", &text, new(string), ""})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const n = 1000
	all := make([]comparedRow, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range all {
		all[i] = row()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	taken, estimated := int(after.HeapAlloc-before.HeapAlloc)/n, all[0].bytes()
	runtime.KeepAlive(all)
	if estimated < taken || estimated > 2*taken {
		t.Errorf("the estimate is %d bytes, and %d are taken", estimated, taken)
	}
}

// scanned are the values of a row.
type scanned []any

func (s scanned) Scan(dest ...any) error {
	for i, d := range dest {
		reflect.ValueOf(d).Elem().Set(reflect.ValueOf(s[i]))
	}
	return nil
}
