package httpapi

import (
	"bytes"
	"io"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/klauspost/compress/gzip"

	"bugslice/internal/apidoc"
	"bugslice/internal/assert"
	"bugslice/internal/gateway"
)

// TestFixedDocumentsAreCompressedOnce: a document that never changes is compressed once, so that its length is known,
// for those who accept gzip.
func TestFixedDocumentsAreCompressedOnce(t *testing.T) {
	a, err := New(Options{Gateway: &gateway.Gateway{}})
	if err != nil {
		t.Fatal(err)
	}
	document, err := apidoc.OpenAPI("")
	if err != nil {
		t.Fatal(err)
	}
	for accept, coding := range map[string]string{"": "", "gzip": "gzip",
		"br, GZIP;q=0.5": "gzip", "zstd, gzip": "gzip", "gzip;q=0": "", "gzip; q=0.000": "", "identity": "",
		"x-gzip": ""} {
		r := httptest.NewRequest("GET", "/openapi.json", nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		h := w.Header()
		assert.Equal(t, accept+": Content-Encoding and -Length",
			[]string{h.Get("Content-Encoding"), h.Get("Content-Length")},
			[]string{coding, strconv.Itoa(w.Body.Len())})
		assert.Contains(t, accept+": Vary", h.Get("Vary"), "Accept-Encoding")
		var body io.Reader = w.Body
		if coding == "gzip" {
			if body, err = gzip.NewReader(w.Body); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, document) {
			t.Errorf("%q: %d bytes of %d, %v", accept, len(got), len(document), err)
		}
	}
}
