package tracker_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestFiledWithoutHints: a filed slice is returned without hints when similar slices cannot be read. On PostgreSQL a
// request that ends rolls its write back, and nothing is filed.
func TestFiledWithoutHints(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.file(t, "Checkout fails: zebra voucher is refused", "")
		for _, broken := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ends := false
			w.with(t, func(o *tracker.Options) {
				o.Now = func() time.Time { // asked inside of the transaction
					if ends {
						cancel()
					}
					return w.now
				}
			})
			ends = broken
			made, err := w.CreateSlice(ctx, w.owner, valid(api.CreateSlice{Hints: true,
				Body: api.NewSlice{WorkspaceID: &w.workspace,
					SliceFields: api.SliceFields{Summary: "Zebra voucher refused"}}}))
			if broken && w.store.Engine() == "postgres" {
				filed, listed := w.ListSlices(t.Context(), w.owner,
					valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace},
						Paging: api.Paging{Limit: 25}}))
				must(t, listed)
				if err == nil || len(filed.Data) != 2 {
					t.Errorf("%v, %d slices", err, len(filed.Data))
				}
				continue
			}
			must(t, err)
			answer, err := json.Marshal(made)
			must(t, err)
			if broken == (len(made.Similar) > 0) || !strings.Contains(string(answer), `"similar":[`) {
				t.Errorf("broken %v: %s", broken, answer)
			}
		}
	})
}
