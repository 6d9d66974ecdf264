package tracker_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestSearchedErrors: a slice is found by the words of the messages and of the addresses of failed requests in its
// evidence, however many messages it has. What is redacted finds nothing.
func TestSearchedErrors(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		body := api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: "a"},
			Evidence: &api.Evidence{}}
		body.Evidence.Network = json.RawMessage(`{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[` +
			harEntry("fine/wombat", 200) + "," + harEntry("checkout/quagga?token=okapiokapiokapi7", 503) + `]}}`)
		for i := range 60 {
			body.Evidence.Console = append(body.Evidence.Console,
				api.ConsoleEntry{Level: "error", Timestamp: api.At(w.now),
					Message: fmt.Sprint("numbat", i/2, strings.Repeat(" is not defined", 40))})
		}
		body.Evidence.Console = append(body.Evidence.Console,
			api.ConsoleEntry{Level: "log", Timestamp: api.At(w.now), Message: "dingo"})
		must(t, second(w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: body}))))
		w.report(t, "b", api.SliceFields{Summary: "b"}, "potoroo", "quoll")
		for q, want := range map[string]string{"numbat0": "a", "numbat1 defined": "a",
			"quagga": "a", "shop.example/checkout/quagga": "a", "quag*": "a",
			"wombat": "", "okapiokapiokapi7": "", "dingo": "", "quoll": "b", "shop.example/potoroo": "b"} {
			assert.Equal(t, q, w.found(t, api.SliceFilters{WorkspaceID: w.workspace, Q: q}), want)
		}
	})
}
