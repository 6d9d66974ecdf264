package tracker_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
)

// TestSuspicionOfRequests: the list of requests says of a success why it may be the cause of a later error, from the
// whole of its body, as the report does. A share tells it only with the console.
func TestSuspicionOfRequests(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		answer, err := json.Marshal(`{"padding":"` + strings.Repeat("x", 6000) + `","rule":null,"items":[{"rule":{"code":"A"}}]}`)
		must(t, err)
		entry := fmt.Sprintf(`{"startedDateTime":%q,"time":1,"cache":{},"timings":{"send":0,"wait":0,"receive":0},
			"request":{"method":"GET","url":"https://shop.example/rules","httpVersion":"HTTP/1.1","headers":[],"queryString":[],
				"cookies":[],"headersSize":-1,"bodySize":0},
			"response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1","headers":[],"cookies":[],
				"content":{"size":0,"mimeType":"application/json","text":%s},"redirectURL":"","headersSize":-1,"bodySize":0}}`,
			api.At(w.now.Add(-time.Second)).String(), answer)
		filed, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "s"}, Evidence: &api.Evidence{
				Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.now),
					Message: "TypeError: Cannot read properties of null (reading 'code')"}},
				Network: json.RawMessage(`{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[` + entry + `]}}`)}}}))
		must(t, err)
		suspicion := func(c access.Caller) *api.Suspicion {
			t.Helper()
			page, err := w.ListNetwork(t.Context(), c, valid(api.ListNetwork{SliceID: filed.ID, Paging: ten}))
			must(t, err)
			assert.Equal(t, "requests", len(page.Data), 1)
			return page.Data[0].Suspicion
		}
		found := suspicion(w.owner)
		if found == nil || found.Guess || !strings.HasPrefix(found.Reason, `"rule": null in {`) ||
			!strings.HasSuffix(found.Reason, "a later error reads code of null") {
			t.Errorf("the suspicion: %+v", found)
		}
		text, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: filed.ID, MaxTokens: 4000}))
		must(t, err)
		assert.Contains(t, "the report", text, "suspicious: "+found.Reason)
		network := w.openShare(t, w.share(t, w.owner, filed.ID, api.ShareNetwork))
		assert.Equal(t, "of a share without the console", suspicion(network), (*api.Suspicion)(nil))
		both := w.openShare(t, w.share(t, w.owner, filed.ID, api.ShareNetwork, api.ShareConsole))
		assert.Equal(t, "of a share with the console", suspicion(both), found)
	})
}
