package store

import (
	"fmt"
	"strings"
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
