package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"bugslice/api"
)

// TestEarlyResponse: an early response is sent for the results that it was made from, and for no others. One that waits or panics is given
// up.
func TestEarlyResponse(t *testing.T) {
	results := []api.BatchResult{{ID: "slc_1", Status: http.StatusOK}}
	made := &encoded{size: 1, header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}, "Vary": {"Accept-Encoding"}}}
	_, _ = made.Write([]byte("compressed"))
	at := func(context.Context) *encoded { return made }
	out := api.BatchResults{Results: results}
	if got := beginEarly(t.Context(), results, at).madeFrom(out); got != made {
		t.Errorf("the results that it was made from: %v", got)
	}
	for name, other := range map[string]any{
		"equal results": api.BatchResults{Results: []api.BatchResult{results[0]}}, "no results": api.BatchResults{}, "another record": api.Slice{},
	} {
		if got := beginEarly(t.Context(), results, at).madeFrom(other); got != nil {
			t.Errorf("%s: got the response", name)
		}
	}
	if got := (*earlyResponse)(nil).madeFrom(out); got != nil {
		t.Error("no early response: got one")
	}
	waits := func(ctx context.Context) *encoded { <-ctx.Done(); return nil }
	if got := beginEarly(t.Context(), results, waits).madeFrom(out); got != nil {
		t.Error("it waits: got the response")
	}
	if got := beginEarly(t.Context(), results, func(context.Context) *encoded { panic("encode") }).madeFrom(out); got != nil {
		t.Error("it panics: got the response")
	}

	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Origin")
	if err := made.send(w, http.StatusOK); err != nil {
		t.Fatal(err)
	}
	h := w.Header()
	if w.Body.String() != "compressed" || h.Get("Content-Length") != "10" || h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Origin" {
		t.Errorf("sent %q with %v", w.Body, h)
	}
}
