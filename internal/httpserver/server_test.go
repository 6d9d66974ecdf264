package httpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

// world is a server with two front ends: one of pages at /pages, whose problems are HTML, and one of records at
// /records, whose problems are JSON.
type world struct {
	*Server
	log bytes.Buffer
}

func newWorld(t *testing.T, o Options, pages, records http.HandlerFunc) *world {
	t.Helper()
	w := &world{}
	o.Log = slog.New(slog.NewJSONHandler(&w.log, nil))
	w.Server = New(o)
	w.Mount("/pages", pages, func(w http.ResponseWriter, _ *http.Request, p *api.Problem) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(p.Status)
		fmt.Fprintf(w, "<h1>%s</h1>", p.Code)
	})
	w.Mount("/records", records, func(w http.ResponseWriter, r *http.Request, p *api.Problem) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(p.Status)
		fmt.Fprintf(w, `{"code":%q,"requestId":%q}`, p.Code, Info(r).ID)
	})
	return w
}

func (w *world) get(path string) *httptest.ResponseRecorder {
	out := httptest.NewRecorder()
	w.ServeHTTP(out, httptest.NewRequest("GET", path, nil))
	return out
}

// lines returns the log lines of requests.
func (w *world) lines(t *testing.T) (all []map[string]any) {
	t.Helper()
	for text := range strings.Lines(w.log.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line["msg"] == "request" {
			all = append(all, line)
		}
	}
	return all
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, s+" "+r.URL.Path) }
}

// TestMount: a request reaches the front end with the longest prefix of whole segments, and problems that the
// server finds have the form of that front end.
func TestMount(t *testing.T) {
	w := newWorld(t, Options{}, text("page"), text("record"))
	w.Mount("/pages/only", Methods{"GET": text("only"), "DELETE": text("only")}, w.WriteProblem)
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/pages", 200, "page /pages"},
		{"GET", "/pages/a/b", 200, "page /pages/a/b"},
		{"GET", "/records/a", 200, "record /records/a"},
		{"GET", "/pages/only", 200, "only /pages/only"},
		{"HEAD", "/pages/only", 200, ""},
		{"GET", "/pagesful", 404, "404 page not found\n"},
		{"GET", "/pages/", 404, "<h1>not_found</h1>"},
		{"GET", "/records//a", 404, `{"code":"not_found"`},
		{"GET", "/pages/../records/a", 404, `{"code":"not_found"`},
		{"GET", "/records/../pages", 404, "<h1>not_found</h1>"},
		{"POST", "/pages/only", 405, "The method is not allowed for this path: This path allows DELETE, GET, HEAD, not POST."},
		{"GET", "/healthz", 200, "ok\n"},
		{"POST", "/healthz", 405, "The method is not allowed for this path"},
		{"GET", "/healthz/a", 404, "404 page not found\n"},
	} {
		out := httptest.NewRecorder()
		w.ServeHTTP(out, httptest.NewRequest(c.method, c.path, nil))
		if body := out.Body.String(); out.Code != c.status || !strings.HasPrefix(body, c.body) {
			t.Errorf("%s %s: %d %q, want %d %q", c.method, c.path, out.Code, body, c.status, c.body)
		}
	}
}

// TestLogLine: each request has an id, in its response and in the one line of the log, and is measured. Nothing
// that the client wrote is in that line.
func TestLogLine(t *testing.T) {
	var seen string
	metrics := NewMetrics("v")
	w := newWorld(t, Options{Metrics: metrics}, func(w http.ResponseWriter, r *http.Request) {
		info := Info(r)
		seen, info.Operation, info.KeyID = info.ID, "showPage", "key_1"
		w.WriteHeader(http.StatusTeapot)
	}, func(w http.ResponseWriter, r *http.Request) {
		Info(r).Err = errors.New("the disk failed")
		WriteProblem(w, r, api.Internal())
	})
	out := httptest.NewRecorder()
	r := httptest.NewRequest("SECRET", "/pages/secret?secret", strings.NewReader("secret"))
	r.Header.Set("Authorization", "secret")
	w.ServeHTTP(out, r)
	record := w.get("/records")
	lines := w.lines(t)
	if len(lines) != 2 {
		t.Fatalf("%d lines for 2 requests:\n%s", len(lines), w.log.String())
	}
	id := out.Header().Get("X-Request-Id")
	assert.Contains(t, "the request id", id, "req_")
	assert.Equal(t, "the ids of the front end and of the log", []any{seen, lines[0]["id"]}, []any{id, id})
	if id := record.Header().Get("X-Request-Id"); id == seen || !strings.Contains(record.Body.String(), id) {
		t.Errorf("the problem %s of the request %q", record.Body, id)
	}
	keys := []string{"client", "durationMs", "id", "key", "level", "method", "msg", "route", "status", "time"}
	if got := slices.Sorted(maps.Keys(lines[0])); !slices.Equal(got, keys) {
		t.Errorf("the line has %q, want %q", got, keys)
	}
	for _, want := range []string{`"level":"INFO"`, `"route":"showPage","method":"other","status":418`,
		`"key":"key_1","client":"192.0.2.1"`,
		`"level":"ERROR"`, `"route":"none","method":"GET","status":500`, `"error":"the disk failed"`} {
		if !strings.Contains(w.log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, w.log.String())
		}
	}
	if strings.Contains(strings.ToLower(w.log.String()), "secret") {
		t.Errorf("the log repeats the client:\n%s", w.log.String())
	}
	page := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	want := `bugslice_http_requests_total{method="other",operation="showPage",status="418"} 1`
	if !strings.Contains(page.Body.String(), want) {
		t.Errorf("the metrics lack %s", want)
	}
}

// TestPanic: a panic before the response is a 500 in the form of the front end, with its cause in the log. A
// response that has begun stays as it is, and http.ErrAbortHandler reaches net/http.
func TestPanic(t *testing.T) {
	w := newWorld(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pages/begun" {
			w.WriteHeader(http.StatusAccepted)
		}
		panic("the cause")
	}, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/records/abort" {
			panic(http.ErrAbortHandler)
		}
		panic(errors.New("the cause"))
	})
	for path, want := range map[string]string{
		"/pages":       "500 <h1>internal</h1>",
		"/pages/begun": "202 \n",
		"/records":     `500 {"code":"internal",`,
	} {
		w.log.Reset()
		out := w.get(path)
		if got := fmt.Sprint(out.Code, " ", out.Body); !strings.HasPrefix(got+"\n", want) ||
			strings.Contains(got, "the cause") {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		lines := w.lines(t)
		if len(lines) != 1 {
			t.Fatalf("%s: %d lines in the log, want 1: %v", path, len(lines), lines)
		}
		assert.Equal(t, path+": status and level in the log", []any{lines[0]["status"], lines[0]["level"]},
			[]any{float64(out.Code), "ERROR"})
		if cause := w.log.String(); !strings.Contains(cause, "panic: the cause") ||
			!strings.Contains(cause, "server_test.go") {
			t.Errorf("%s: the log lacks the cause or the stack: %s", path, cause)
		}
	}
	w.log.Reset()
	func() {
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
				t.Errorf("an aborted response: net/http gets %v", err)
			}
		}()
		w.get("/records/abort")
	}()
	if lines := w.lines(t); len(lines) != 1 || lines[0]["level"] != "INFO" {
		t.Errorf("an aborted response: the log has %v", lines)
	}
}

// deadlineRecorder is a response that records its deadlines, as the time left; none is -1.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	read, write []time.Duration
}

func left(at time.Time) time.Duration {
	if at.IsZero() {
		return -1
	}
	return time.Until(at).Round(time.Second)
}

func (d *deadlineRecorder) SetReadDeadline(at time.Time) error {
	d.read = append(d.read, left(at))
	return nil
}

func (d *deadlineRecorder) SetWriteDeadline(at time.Time) error {
	d.write = append(d.write, left(at))
	return nil
}

// TestDeadlines: a request without a body has no read deadline once it arrived. A front end extends the deadline of a
// body, interrupts or ends it. After the response, the rest of an unread body has a short one. Each piece of a
// response has the whole write timeout.
func TestDeadlines(t *testing.T) {
	w := newWorld(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 2*pieceSize+1))
	}, func(w http.ResponseWriter, _ *http.Request) {
		ExtendReadDeadline(w)
		InterruptRead(w)
		ClearReadDeadline(w)
	})
	for _, c := range []struct {
		path, body  string
		read, write []time.Duration
	}{
		{"/pages", "", []time.Duration{-1}, slices.Repeat([]time.Duration{writeTimeout}, 4)},
		// the header and three pieces
		{"/pages", "body", []time.Duration{discardPause}, slices.Repeat([]time.Duration{writeTimeout}, 4)},
		{"/records", "body", []time.Duration{readTimeout, 0, -1, discardPause}, nil},
	} {
		out := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
		w.ServeHTTP(out, httptest.NewRequest("POST", c.path, strings.NewReader(c.body)))
		if !slices.Equal(out.read, c.read) || !slices.Equal(out.write, c.write) {
			t.Errorf("%s with the body %q: read deadlines %v, want %v; write deadlines %v, want %v",
				c.path, c.body, out.read, c.read, out.write, c.write)
		}
	}
}

// TestClientAddress: X-Forwarded-For counts only after a trusted proxy: the client is its last address that is not
// trusted.
func TestClientAddress(t *testing.T) {
	var client netip.Addr
	record := func(_ http.ResponseWriter, r *http.Request) { client = Info(r).Client }
	w := newWorld(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, record, record)
	for _, c := range []struct {
		peer string
		hops []string
		want string
	}{
		{"192.0.2.1:80", nil, "192.0.2.1"},
		{"192.0.2.1:80", []string{"203.0.113.7"}, "192.0.2.1"},
		{"10.0.0.1:80", nil, "10.0.0.1"},
		{"10.0.0.1:80", []string{"203.0.113.7"}, "203.0.113.7"},
		{"10.0.0.1:80", []string{"198.51.100.1, 203.0.113.7", "10.2.3.4"}, "203.0.113.7"},
		{"10.0.0.1:80", []string{"203.0.113.7, nonsense"}, "10.0.0.1"},
		{"[::ffff:10.0.0.1]:80", []string{"2001:db8::1"}, "2001:db8::1"},
		{"@", []string{"203.0.113.7"}, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/pages", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = c.peer, c.hops
		w.ServeHTTP(httptest.NewRecorder(), r)
		if client.String() != c.want {
			t.Errorf("from %s for %q: %s, want %s", c.peer, c.hops, client, c.want)
		}
	}
}

// TestReady: /readyz reports whether the node is ready, with notes; the cause is in the log alone.
func TestReady(t *testing.T) {
	var err error
	ready := func(context.Context) error { return err }
	notes := func() []string { return []string{"one", "two"} }
	w := newWorld(t, Options{Ready: ready, Notes: notes}, nil, nil)
	if out := w.get("/readyz"); out.Code != 200 || out.Body.String() != "ready\none\ntwo\n" {
		t.Errorf("a node that is ready: %d %q", out.Code, out.Body)
	}
	err = errors.New("the cause")
	if out := w.get("/readyz"); out.Code != 503 || strings.Contains(out.Body.String(), "the cause") {
		t.Errorf("a node that is not ready: %d %q", out.Code, out.Body)
	}
	if !strings.Contains(w.log.String(), "the cause") {
		t.Errorf("the log lacks the cause: %s", w.log.String())
	}
}

// TestDrain: a server whose context ends accepts no connection, notifies the front ends and finishes the requests in
// progress.
func TestDrain(t *testing.T) {
	begun, finish := make(chan bool), make(chan bool)
	w := newWorld(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-Draining(r)
		<-finish
		_, _ = io.WriteString(w, "finished")
	}, text("record"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx, l, nil) }()
	answer := make(chan string, 1)
	go func() {
		out, err := http.Get("http://" + l.Addr().String() + "/pages")
		if err != nil {
			answer <- err.Error()
			return
		}
		defer out.Body.Close()
		body, err := io.ReadAll(out.Body)
		answer <- fmt.Sprint(string(body), " ", err)
	}()
	<-begun
	stop()
	<-w.draining
	if out := w.get("/readyz"); out.Code != 503 {
		t.Errorf("/readyz of a node that drains: %d", out.Code)
	}
	if out := w.get("/records"); out.Code != 200 {
		t.Errorf("a request to a node that drains: %d", out.Code)
	}
	for c, err := net.Dial("tcp", l.Addr().String()); err == nil; c, err = net.Dial("tcp", l.Addr().String()) {
		_ = c.Close()
		time.Sleep(10 * time.Millisecond)
	}
	select {
	case err := <-ended:
		t.Fatalf("the server ended with a request in progress: %v", err)
	default:
	}
	close(finish)
	if got := <-answer; got != "finished <nil>" {
		t.Errorf("the request in progress: %s", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// TestCompression: both ways compress text of some size for clients that accept it, and nothing else.
func TestCompression(t *testing.T) {
	c, err := NewCompression()
	if err != nil {
		t.Fatal(err)
	}
	for name, wrap := range map[string]func(http.Handler) http.Handler{"usual": c.Wrap, "stream": c.WrapStream} {
		for _, one := range []struct {
			accept, media, none string
			size                int
			want                string
		}{
			{"gzip", "text/html", "", 4000, "gzip"},
			{"gzip", "text/html", "", 400, ""},
			{"gzip", "image/png", "", 4000, ""},
			{"gzip", "text/html", "1", 4000, ""},
			{"", "text/html", "", 4000, ""},
		} {
			w := newWorld(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", one.media)
					if one.none != "" {
						w.Header().Set(HeaderNoCompression, one.none)
					}
					_, _ = w.Write(bytes.Repeat([]byte("a"), one.size))
				})).ServeHTTP(w, r)
			}, nil)
			r := httptest.NewRequest("GET", "/pages", nil)
			r.Header.Set("Accept-Encoding", one.accept)
			out := httptest.NewRecorder()
			w.ServeHTTP(out, r)
			if got := out.Header().Get("Content-Encoding"); got != one.want ||
				out.Header().Get(HeaderNoCompression) != "" {
				t.Errorf("%s %+v: Content-Encoding %q", name, one, got)
			}
		}
	}
}
