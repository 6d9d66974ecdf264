package web

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// slowly serves the HTML of a handler in pieces, with a frame or two between them.
func slowly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/html") {
			h.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		made := httptest.NewRecorder()
		h.ServeHTTP(made, r)
		for name, values := range made.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(made.Code)
		for rest := made.Body.Bytes(); len(rest) > 0; {
			end := min(len(rest), pieceOfHTML)
			if at := bytes.LastIndexByte(rest[:end], '>'); at > 0 {
				end = at + 1
			}
			_, _ = w.Write(rest[:end])
			if rest = rest[end:]; len(rest) > 0 {
				_ = http.NewResponseController(w).Flush()
				time.Sleep(40 * time.Millisecond)
			}
		}
	})
}

// pieceOfHTML is how many bytes arrive at once.
const pieceOfHTML = 3 << 10

// TestBrowserSlowPages: nothing moves on a page whose HTML arrives in pieces, as over a slow network. A browser that
// drew the pieces would move something on each of these pages.
func TestBrowserSlowPages(t *testing.T) {
	t.Parallel()
	for _, attack := range []bool{false, true} {
		w, r := filled(t, attack)
		w.server.Config.Handler = slowly(w.server.Config.Handler)
		all, prefix := states(r), ""
		if attack {
			all, prefix = hostileStates(r), "hostile-"
		}
		for name, size := range map[string][2]int64{"phone": {360, 800}, "wide": {1280, 900}} {
			t.Run(prefix+name, func(t *testing.T) {
				t.Parallel()
				b := w.tab(t, r.sessions[owner])
				b.Size(size[0], size[1])
				for _, s := range all {
					if !slices.Contains([]string{"report", "share", "people", "view", "keys"}, s.name) {
						continue
					}
					b.Open(s.path)
					for _, shift := range b.Shifts() {
						t.Errorf("%s: %s", s.name, shift)
					}
				}
			})
		}
	}
}
