package store

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
)

// TestWeightOfASlice is about what it holds, wherever its text is.
func TestWeightOfASlice(t *testing.T) {
	long := strings.Repeat("x", 500)
	metadata, counts := map[string]string{}, map[string]int64{}
	for i := range 50 {
		metadata[fmt.Sprint(i, long)] = long
		counts[fmt.Sprint(i, long)] = 1
	}
	empty := weight(Slice{})
	for name, c := range map[string]struct {
		holds int
		slice Slice
	}{
		"metadata":    {50_000, Slice{Slice: api.Slice{SliceFields: api.SliceFields{Metadata: metadata}}}},
		"environment": {1000, Slice{Slice: api.Slice{SliceFields: api.SliceFields{Environment: api.Environment{Browser: &long, BuildURL: &long}}}}},
		"labels":      {1000, Slice{Slice: api.Slice{SliceFields: api.SliceFields{Labels: []string{long, long}}}}},
		"redaction":   {25_000, Slice{Slice: api.Slice{Redaction: &api.Redaction{Counts: counts}}}},
		"symptoms":    {1000, Slice{Symptoms: long + long}},
		"reporter":    {1000, Slice{Slice: api.Slice{Fingerprint: &long, Reporter: api.Reporter{Name: long}}}},
	} {
		if n := weight(c.slice) - empty; n < c.holds || n > c.holds*3/2 {
			t.Errorf("%s of %d bytes weighs %d", name, c.holds, n)
		}
	}
}
