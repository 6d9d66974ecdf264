package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTrustedProxies: X-Forwarded-For counts from a trusted proxy alone, and then its
// nearest address that is not a proxy's.
func TestTrustedProxies(t *testing.T) {
	t.Parallel()
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
	for forwarded, want := range map[string]int{"203.0.113.7": 429, "203.0.113.7, 192.0.2.1": 429,
		"203.0.113.8": 401, "203.0.113.7, 203.0.113.9": 401} {
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

// TestSessionSettings: a session ends after --session-idle without use, and its cookie after --session-lifetime.
func TestSessionSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newServer(t, "sqlite", dir, "--session-idle", "10m", "--session-lifetime", "12h")
	printed := s.cli(t, "bootstrap", "--org", "Acme", "--workspace", "Web", "--email", "ada@acme.example")
	s.start(t)
	defer s.kill()
	b := newVisitor(t, s)
	form := url.Values{"email": {"ada@acme.example"},
		"password": {b.find(regexp.MustCompile(`(?m)^password\s+(\S+)`), printed)}}
	res, err := b.PostForm(s.URL+"/login", form)
	must(t, err)
	must(t, res.Body.Close())
	ages := map[string]int{}
	for _, c := range res.Cookies() {
		ages[c.Name] = c.MaxAge
	}
	if age := ages["bugslice"]; age > 12*60*60 || age < 12*60*60-60 {
		t.Errorf("cookies last %v seconds, want 12 hours of the session's", ages)
	}
	db := openBeside(t, dir)
	usedBefore := func(age time.Duration) {
		_, err := db.ExecContext(t.Context(), "UPDATE sessions SET last_used_at = $1", time.Now().Add(-age).UnixMilli())
		must(t, err)
	}
	usedBefore(9 * time.Minute)
	b.get(200, "/my")
	usedBefore(11 * time.Minute)
	if to := b.get(303, "/my"); to != "/login?next=%2Fmy" {
		t.Errorf("unused for 11 minutes: %s", to)
	}
}

// TestMetrics are served on their own listener, and only there.
func TestMetrics(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())
	s := newServer(t, "sqlite", t.TempDir(), "--metrics-listen", address)
	s.start(t)
	defer s.kill()
	client{server: s}.want(t, 401, "GET", "/v1/me", nil)
	client{server: s}.want(t, 404, "GET", "/metrics", nil)
	form := url.Values{"email": {"nobody@else.example"}, "password": {"wrong"}}.Encode()
	client{server: s}.want(t, 422, "POST", "/login", form, "Content-Type", "application/x-www-form-urlencoded",
		"Accept", "text/html")
	res, err := http.Get("http://" + address + "/metrics")
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	for _, want := range []string{`bugslice_http_requests_total{method="GET",operation="getMe",status="401"} 1`,
		`bugslice_http_request_duration_seconds_bucket{operation="getMe"`,
		`bugslice_sign_ins_refused_total{reason="unknown_account"} 1`, "bugslice_build_info{version=", "go_goroutines",
		`bugslice_mails{state="waiting"} 0`, `bugslice_mail_attempts_total{outcome="sent"} 0`,
		`bugslice_deliveries{state="waiting"} 0`, `bugslice_deliveries{state="failed"} 0`,
		"bugslice_delivery_oldest_age_seconds 0", "bugslice_database_available 1",
		`bugslice_streams{kind="events"} 0`, `bugslice_streams{kind="pages"} 0`,
		"bugslice_blob_errors_total 0", "bugslice_blob_storage_available 1",
		`bugslice_job_overdue_seconds{job_name="purge deleted slices"}`,
		`bugslice_job_failures_total{job_name="forget deliveries"} 0`,
		"bugslice_write_queue_length ", `bugslice_database_connections{state="in_use"}`,
		"bugslice_slice_cache_hits_total 0", "bugslice_slice_cache_bytes 0"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// TestTakenPorts: a node that cannot have a port of its own says so and ends, for either port.
func TestTakenPorts(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	for _, flag := range []string{"--listen", "--metrics-listen"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, binary, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", flag,
			l.Addr().String())
		if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 ||
			!strings.Contains(string(out), "cannot listen on "+l.Addr().String()) {
			t.Errorf("%s: %v: %s", flag, err, out)
		}
	}
}

// TestSlowClients: clients that send or read nothing, with a key or without one, are disconnected; others are served
// meanwhile.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	s := shared(t, tested()[0])
	o := newOrg(t, s, "slow")
	upload := "POST /v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string) + "/attachments?name=a.txt"
	const length, half = "\r\nHost: x\r\nContent-Length: 100\r\n", "\r\n{"
	key := "Authorization: Bearer " + o.token + "\r\nContent-Type: application/json\r\n"
	var work sync.WaitGroup
	defer work.Wait()
	for name, c := range map[string]struct{ sent, want string }{
		"half a header":               {"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ", ""},
		"no body and no key":          {"POST /v1/slices HTTP/1.1" + length + "\r\n", "401"},
		"no body for an unknown path": {"POST /nothing HTTP/1.1" + length + "\r\n", "404"},
		"no body of a GET":            {"GET /healthz HTTP/1.1" + length + "\r\n", "200"},
		"half a body":                 {"POST /v1/slices HTTP/1.1" + length + key + half, "408"},
		"half a file":                 {upload + " HTTP/1.1" + length + key + half, "408"},
		"half a chunk": {"POST /v1/slices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + key + "\r\n20\r\n{",
			"408"},
	} {
		conn := dial(t, s)
		fmt.Fprint(conn, c.sent)
		work.Go(func() {
			got, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(strings.TrimPrefix(string(got), "HTTP/1.1 "), c.want) {
				t.Errorf("%s: %v: %q", name, err, got)
			}
		})
	}
	client{server: s}.want(t, 200, "GET", "/healthz", nil)
	nothing := dial(t, s) // reads nothing
	must(t, nothing.SetReadBuffer(4096))
	work.Go(func() {
		for { // until the server has closed its end
			if _, err := fmt.Fprint(nothing, "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"); errors.Is(err,
				os.ErrDeadlineExceeded) {
				t.Error("the server waits for ever")
				return
			} else if err != nil {
				return
			}
		}
	})
	file := strings.Repeat("a line of text\n", 800_000)
	made := o.want(t, 201, "POST", strings.Fields(upload)[1], file, "Content-Type", "text/plain")
	slow := dial(t, s) // an answer may take as long as it is read
	must(t, slow.SetReadBuffer(64<<10))
	fmt.Fprintf(slow, "GET /v1/attachments/%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n",
		made.get(t, "id"), o.token)
	for begin := time.Now(); time.Since(begin) < 50*time.Second; time.Sleep(time.Second) {
		_, err := io.CopyN(io.Discard, slow, 80<<10)
		must(t, err)
	}
	got, err := io.ReadAll(slow)
	must(t, err)
	if !strings.HasSuffix(file, string(got)) {
		t.Errorf("the rest of %d bytes is not the end of the file", len(got))
	}
	if len(got) < 4<<20 {
		t.Errorf("%d bytes were left after 50 s, want at least 4 MiB", len(got))
	}
}

// TestLongBodiesAreRefusedUnsent: a body whose declared length is above the limit is refused before the client sends
// it, also when the client asks first.
func TestLongBodiesAreRefusedUnsent(t *testing.T) {
	t.Parallel()
	s := shared(t, tested()[0])
	o := newOrg(t, s, "long")
	file := "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string) + "/attachments?name=a.bin"
	for path, limit := range map[string]string{"/v1/slices": "10 MiB", "/v1/workspaces": "1 MiB", file: "100 MiB"} {
		for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
			conn := dial(t, s)
			must(t, conn.SetDeadline(time.Now().Add(20*time.Second))) // less than the server waits for a body
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
				"Content-Length: 99999999999\r\n%s\r\n", path, o.token, expect)
			got, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 413 ") ||
				!strings.Contains(string(got), "at most "+limit) {
				t.Errorf("%s %q: %v: %q", path, expect, err, got)
			}
		}
	}
}

// dial connects to a server for longer than it waits for anybody.
func dial(t *testing.T, s *server) *net.TCPConn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(75*time.Second)))
	return conn.(*net.TCPConn)
}

// TestBaseURL: absolute addresses come from --base-url, never from the Host header.
func TestBaseURL(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--base-url", "https://bugs.example.com/")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "base")
	o.slice(t, o.Workspace, nil)
	a := o.want(t, 201, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "x"},
		"X-Forwarded-Host", "evil.example")
	if !strings.HasPrefix(a.Header.Get("Location"), "https://bugs.example.com/v1/slices/slc_") ||
		!strings.HasPrefix(a.get(t, "url").(string), "https://bugs.example.com/slices/") {
		t.Errorf("%s %s", a.Header.Get("Location"), a.Body)
	}
	if link := o.want(t, 200, "GET", "/v1/slices?limit=1", nil).Header.Get("Link"); !strings.HasPrefix(link,
		"<https://bugs.example.com/v1/slices?") {
		t.Errorf("Link: %s", link)
	}
}
