package tracker

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestNewestThatCounts: a release that one report alone names counts when it follows from the others, and is passed over
// when it is far from them. A second report makes each count. In a workspace with only such releases, the newest
// counts.
func TestNewestThatCounts(t *testing.T) {
	for in, want := range map[string]string{ // releases by their first sight, each with the number of its reports
		"2026.11.2:3 2026.11.3:1":                             "2026.11.3",
		"2026.11.3:3 99999999999.0.0:1":                       "2026.11.3, not 99999999999.0.0",
		"2026.11.3:3 99999999998.0.0:1 1e9:1":                 "2026.11.3, not 1e9 99999999998.0.0",
		"2026.11.3:3 99999999999.0.0:2":                       "99999999999.0.0",
		"99999999999.0.0:1 1.0.0:1 1.0.1:1":                   "1.0.1, not 99999999999.0.0",
		"99999999999.0.0:1 1.0.0:1":                           "99999999999.0.0",
		"2026.12.31:4 2027.1.0:1":                             "2027.1.0",
		"1.9.9:3 1.10.0:1":                                    "1.10.0",
		"9.0:3 10.0:1":                                        "10.0",
		"20261125120000:1 20261126120000:1":                   "20261126120000",
		"1.0.20261125120000:1 1.0.20261126120000:1":           "1.0.20261126120000",
		"1.4.0:3 2026.1.0:1":                                  "1.4.0, not 2026.1.0",
		"1.4.0:3 2026.1.0:1 2026.1.1:1":                       "2026.1.1",
		"141:3 20261126120000:2":                              "20261126120000",
		"9f1c2ab:3 4d2e001:1":                                 "4d2e001",
		"1.4.0:3 banana:1":                                    "1.4.0, not banana",
		"1.4.0:3 9f1c2ab:1 4d2e001:1":                         "4d2e001",
		"1.4.0:1 banana:1":                                    "banana",
		"banana:1 1.4.0:1":                                    "1.4.0",
		"1.4.0:3 1.5.0:0":                                     "1.4.0",
		"1.5.0:0":                                             "none",
		"1.0.0:1 400.0.0:1 1.0.1:1 v0.9:1 cherry:1 400.1.0:1": "400.1.0",
	} {
		var all []api.Release
		for i, text := range strings.Fields(in) {
			name, count, _ := strings.Cut(text, ":")
			r := api.Release{Name: name}
			_, err := fmt.Sscan(count, &r.SeenCount)
			if err != nil {
				t.Fatal(err)
			}
			if r.SeenCount > 0 {
				r.FirstSeenAt = new(api.FromMillis(int64(i)))
			}
			all = append(all, r)
		}
		got := "none"
		newest, passedOver := newestOf(inOrder(all))
		if newest != nil {
			got = newest.Name
		}
		if len(passedOver) > 0 {
			got += ", not " + strings.Join(convert(passedOver, orderedRelease.name), " ")
		}
		assert.Equal(t, in, got, want)
	}
}
