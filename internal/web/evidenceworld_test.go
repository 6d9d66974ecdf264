package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/demo"
)

// evidenceReports are references of reports with evidence.
type evidenceReports struct {
	shop   string // of the broken shop: two occurrences with evidence, and a third one without
	flood  string // 10,000 rows of the console and 2,000 requests
	clocks string // whose replay is of another clock than its other evidence
}

// fileEvidence files reports with evidence. name may change what pages and programs name.
func (w *world) fileEvidence(t testing.TB, name func(string) string) (r evidenceReports) {
	t.Helper()
	r.shop = w.fileShop(t, name)
	at := w.clock.now().Add(-time.Minute)
	r.clocks = w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: truncated(name("The clocks differ"),
		200)},
		Evidence: &api.Evidence{
			Console: []api.ConsoleEntry{{Level: "info", Timestamp: api.At(at), Message: name("started")}},
			Replay:  []json.RawMessage{json.RawMessage(`{"type":4,"timestamp":1795000000000,"data":{"href":"https://shop.example/"}}`)},
		}})
	return r
}

// fileShop files a report of the broken shop three times.
func (w *world) fileShop(t testing.TB, name func(string) string) (reference string) {
	t.Helper()
	fields := api.SliceFields{Summary: truncated(name("Checkout fails after a discount code"), 200),
		Metadata: map[string]string{"plan": name("team"), "cart": name("2 mugs")}}
	fingerprint := "discount"
	for _, visit := range []string{"discount-code", "discount-code-phone", ""} {
		body := api.NewSlice{SliceFields: fields, Fingerprint: &fingerprint}
		if visit != "" {
			c, err := demo.ReadCapture(visit)
			must(t, err)
			c, err = c.Starting(w.clock.now().Add(-time.Hour))
			must(t, err)
			body.Evidence, body.Environment = &c.Evidence, c.Environment
		}
		body.Environment.Release = new(name("2026.11.3"))
		reference = w.capture(t, body)
	}
	return reference
}

// fileFlood files a report with 10,000 rows of the console, a tenth of which are errors, and 2,000 requests.
func (w *world) fileFlood(t testing.TB) string {
	t.Helper()
	at := w.clock.now().Add(-time.Hour)
	e := &api.Evidence{}
	entries := make([]any, 0, 2000)
	for i := range 10_000 {
		line := api.ConsoleEntry{Level: "info", Timestamp: api.At(at.Add(time.Duration(i) * 10 * time.Millisecond)),
			Message: fmt.Sprint("stock: answer ", i)}
		if i%10 == 9 {
			stack := "Error: no stock\n    at refresh (https://shop.example/stock.js:42:7)"
			line.Level, line.Stack = "error", &stack
		}
		e.Console = append(e.Console, line)
		if i%5 == 0 {
			entries = append(entries, harEntry(at.Add(time.Duration(i)*10*time.Millisecond),
				"GET", fmt.Sprint("https://shop.example/api/stock?page=", i/5), 200+(i/5%4/3)*303))
		}
	}
	e.Network = har(t, entries...)
	return w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "Thousands of requests"}, Evidence: e})
}

// har returns a HAR with entries.
func har(t testing.TB, entries ...any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(map[string]any{"log": map[string]any{"version": "1.2",
		"creator": map[string]any{"name": "t", "version": "1"}, "entries": entries}})
	must(t, err)
	return text
}

func harEntry(at time.Time, method, url string, status int) map[string]any {
	return map[string]any{"startedDateTime": api.At(at), "time": 12.5,
		"request": map[string]any{"method": method, "url": url, "headers": []any{}},
		"response": map[string]any{"status": status, "statusText": "",
			"headers": []any{}, "content": map[string]any{"size": 145, "mimeType": "application/json",
				"text": `{"stock":[1,2]}`}}}
}

// capture files a report in the workspace WEB, and returns its reference.
func (w *world) capture(t testing.TB, body api.NewSlice) (reference string) {
	t.Helper()
	body.WorkspaceID = &w.web
	made, err := w.CreateSlice(t.Context(), w.caller(t, member), valid(t, api.CreateSlice{Body: body}))
	must(t, err)
	return made.Reference
}

// storage is a storage of files that can be out of reach.
type storage struct {
	blob.Store
	absent atomic.Bool
	silent atomic.Bool                        // answers nothing
	put    func(io.Reader) (io.Reader, error) // the bytes that are stored in place of others; nil for the same
}

func (s *storage) Put(ctx context.Context, key string, r io.Reader) (blob.Info, error) {
	if s.put != nil {
		var err error
		if r, err = s.put(r); err != nil {
			return blob.Info{}, err
		}
	}
	return s.Store.Put(ctx, key, r)
}

func (s *storage) Open(ctx context.Context, key string) (blob.Reader, error) {
	if s.silent.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.absent.Load() {
		return nil, fmt.Errorf("%w: dial tcp", blob.ErrUnavailable)
	}
	return s.Store.Open(ctx, key)
}

// loseFiles removes all stored files.
func (w *world) loseFiles(t testing.TB) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(w.files, "*"))
	must(t, err)
	for _, name := range all {
		must(t, os.RemoveAll(name))
	}
}
