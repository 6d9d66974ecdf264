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

// TestFiledWithoutHints: what was filed is answered, also when nothing similar can be looked for. Only
// SQLite carries a write through whose request has ended.
func TestFiledWithoutHints(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		if w.store.Engine() != "sqlite" {
			t.Skip("PostgreSQL ends the write with its request")
		}
		w.file(t, "Checkout fails: zebra voucher is refused", "")
		for _, broken := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w.with(t, func(o *tracker.Options) {
				o.Now = func() time.Time { // asked inside of the transaction
					if broken {
						cancel()
					}
					return w.now
				}
			})
			made, err := w.CreateSlice(ctx, w.owner, api.CreateSlice{Hints: true, Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: "Zebra voucher refused"}}})
			must(t, err)
			answer, err := json.Marshal(made)
			must(t, err)
			if broken == (len(made.Similar) > 0) || !strings.Contains(string(answer), `"similar":[`) {
				t.Errorf("broken %v: %s", broken, answer)
			}
		}
	})
}
