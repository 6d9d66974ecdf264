package suite

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTrustedProxies: X-Forwarded-For counts from a trusted proxy alone, and then its
// nearest address that is not a proxy's.
func TestTrustedProxies(t *testing.T) {
	throttled := func(c client, forwarded string) (last int) {
		for range 65 {
			last = c.do(t, "GET", "/v1/me", nil, "X-Forwarded-For", forwarded).Status
		}
		return last
	}
	s := newServer(t, "sqlite", t.TempDir(), "--trusted-proxies", "127.0.0.0/8,192.0.2.1")
	s.start(t)
	defer s.kill()
	c := client{s, "svc_pat_nonsense"}
	if got := throttled(c, "198.51.100.1, 203.0.113.7, 192.0.2.1"); got != 429 {
		t.Errorf("not throttled by its address: %d", got)
	}
	for forwarded, want := range map[string]int{"203.0.113.7": 429, "203.0.113.7, 192.0.2.1": 429, "203.0.113.8": 401, "203.0.113.7, 203.0.113.9": 401} {
		if got := c.do(t, "GET", "/v1/me", nil, "X-Forwarded-For", forwarded).Status; got != want {
			t.Errorf("%s: %d, want %d", forwarded, got, want)
		}
	}
	plain := newServer(t, "sqlite", t.TempDir())
	plain.start(t)
	defer plain.kill()
	c = client{plain, "svc_pat_nonsense"}
	throttled(c, "203.0.113.7")
	if got := c.do(t, "GET", "/v1/me", nil, "X-Forwarded-For", "203.0.113.8").Status; got != 429 {
		t.Errorf("a client that nobody trusts chose its own address: %d", got)
	}
}

// TestMetrics are served on their own listener, and only there.
func TestMetrics(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())
	s := newServer(t, "sqlite", t.TempDir(), "--metrics-listen", address)
	s.start(t)
	defer s.kill()
	client{server: s}.want(t, 401, "GET", "/v1/me", nil)
	client{server: s}.want(t, 404, "GET", "/metrics", nil)
	res, err := http.Get("http://" + address + "/metrics")
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	for _, want := range []string{`bugslice_http_requests_total{method="GET",operation="getMe",status="401"} 1`, `bugslice_http_request_duration_seconds_bucket{operation="getMe"`, "bugslice_build_info{version=", "go_goroutines"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// TestSlowClients: who does not send a header in 10 s is let go; others are served meanwhile.
func TestSlowClients(t *testing.T) {
	s := shared(t, "sqlite")
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	must(t, err)
	defer conn.Close()
	fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	client{server: s}.want(t, 200, "GET", "/healthz", nil)
	must(t, conn.SetReadDeadline(time.Now().Add(15*time.Second)))
	begin := time.Now()
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("still connected after %s: %v", time.Since(begin), err)
	}
}

// TestBaseURL: absolute addresses come from --base-url, never from the Host header.
func TestBaseURL(t *testing.T) {
	s := newServer(t, "sqlite", t.TempDir(), "--base-url", "https://bugs.example.com/")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "base")
	o.slice(t, o.Workspace, nil)
	a := o.want(t, 201, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "x"}, "X-Forwarded-Host", "evil.example")
	if !strings.HasPrefix(a.Header.Get("Location"), "https://bugs.example.com/v1/slices/slc_") || !strings.HasPrefix(a.get(t, "url").(string), "https://bugs.example.com/slices/") {
		t.Errorf("%s %s", a.Header.Get("Location"), a.Body)
	}
	if link := o.want(t, 200, "GET", "/v1/slices?limit=1", nil).Header.Get("Link"); !strings.HasPrefix(link, "<https://bugs.example.com/v1/slices?") {
		t.Errorf("Link: %s", link)
	}
}
