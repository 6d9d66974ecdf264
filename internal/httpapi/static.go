package httpapi

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// staticPolicy is the content security policy of documents. No text becomes an element or a script of the reference
// page, whose forms call the API: there is no policy that could make it one.
const staticPolicy = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; script-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// static answers with a document that never changes. It is compressed once, because it has no rate limit.
func static(contentType string, body []byte) http.Handler {
	compressed := sync.OnceValue(func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(body) // a bytes.Buffer returns no error
		_ = z.Close()
		return b.Bytes()
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, content := w.Header(), body
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Security-Policy", staticPolicy)
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(strings.Join(r.Header.Values("Accept-Encoding"), ",")) {
			content = compressed()
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content)
	})
}

// anyOrigin lets the pages of every origin read the response.
func anyOrigin(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		h.ServeHTTP(w, r)
	})
}

// acceptsGzip reports whether an Accept-Encoding names gzip with a weight other than 0.
func acceptsGzip(header string) bool {
	for one := range strings.SplitSeq(header, ",") {
		coding, weight, weighted := strings.Cut(one, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		name, value, _ := strings.Cut(strings.TrimSpace(weight), "=")
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		return !weighted || strings.EqualFold(strings.TrimSpace(name), "q") && err == nil && q > 0
	}
	return false
}
