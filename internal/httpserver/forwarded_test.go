package httpserver

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestUntrustedProxyIsLogged: the log warns once, and names the flag, when the sender of X-Forwarded-For or Forwarded
// is no trusted proxy. It is silent otherwise.
func TestUntrustedProxyIsLogged(t *testing.T) {
	for _, c := range []struct {
		header, peer string
		warns        bool
	}{
		{"X-Forwarded-For", "10.0.0.9:1", true}, {"Forwarded", "10.0.0.9:1", true},
		{"X-Forwarded-For", "192.0.2.1:1", false}, {"X-Forwarded-For", "[::ffff:192.0.2.1]:1", false},
		{"Forwarded", "192.0.2.1:1", false},
		{"Accept", "10.0.0.9:1", false},
	} {
		w := newWorld(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}, text("page"),
			text("record"))
		for range 3 {
			r := httptest.NewRequest(http.MethodGet, "/pages", nil)
			r.RemoteAddr = c.peer
			r.Header.Set(c.header, "for=203.0.113.7")
			w.ServeHTTP(httptest.NewRecorder(), r)
		}
		want := 0
		if c.warns {
			want = 1
		}
		if got := strings.Count(w.log.String(), `"level":"WARN"`); got != want ||
			strings.Count(w.log.String(), "--trusted-proxies") != want {
			t.Errorf("%s from %s: %d warnings, want %d: %s", c.header, c.peer, got, want, w.log.String())
		}
		if c.warns && !strings.Contains(w.log.String(), `"sender":"10.0.0.9"`) {
			t.Errorf("the warning does not name the sender: %s", w.log.String())
		}
		if strings.Contains(w.log.String(), "203.0.113.7") {
			t.Errorf("the log has the text of the header: %s", w.log.String())
		}
	}
}
