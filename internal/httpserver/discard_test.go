package httpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
)

// serveRefusing serves front ends that refuse every request without reading its body, and returns the address.
func serveRefusing(t *testing.T) string {
	t.Helper()
	refuse := func(w http.ResponseWriter, r *http.Request) {
		p := api.NewProblem(api.CodeTooLarge, "It is too large.")
		WriteProblem(w, r, p)
	}
	w := newWorld(t, Options{}, refuse, refuse)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx, l, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

// TestClientThatSendsBeforeItReads receives the refusal, however the body is framed, and its connection closes.
func TestClientThatSendsBeforeItReads(t *testing.T) {
	t.Parallel()
	address := serveRefusing(t)
	const size = 20 << 20
	body := strings.Repeat("x", size)
	for name, sent := range map[string]string{
		"a length": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, body),
		"chunks":   fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, body),
	} {
		for _, path := range []string{"/pages", "/records"} {
			t.Run(name+" "+path, func(t *testing.T) {
				t.Parallel()
				conn := dial(t, address)
				if _, err := io.WriteString(conn, "POST "+path+" HTTP/1.1\r\nHost: x\r\n"+sent); err != nil {
					t.Fatalf("the client cannot send: %v", err)
				}
				r := bufio.NewReader(conn)
				res, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatalf("the client has no response: %v", err)
				}
				defer res.Body.Close()
				text, err := io.ReadAll(res.Body)
				if res.StatusCode != 413 || !res.Close || !strings.Contains(string(text), "too_large") || err != nil {
					t.Errorf("%d, %q, %v; the connection closes: %v", res.StatusCode, text, err, res.Close)
				}
				if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
					t.Errorf("behind the response: %v, want the end", err)
				}
			})
		}
	}
}

// TestRefusalDoesNotWait: a body that does not arrive delays no refusal, however the body is framed and however small
// it is.
func TestRefusalDoesNotWait(t *testing.T) {
	t.Parallel()
	address := serveRefusing(t)
	for _, framing := range []string{"Content-Length: 5", "Content-Length: 5000000", "Transfer-Encoding: chunked"} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			conn := dial(t, address)
			started := time.Now()
			fmt.Fprintf(conn, "%s /pages HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", method, framing)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if took := time.Since(started); took > 3*time.Second || !res.Close {
				t.Errorf("%s with %s: refused after %v, and the connection closes: %v", method, framing, took,
					res.Close)
			}
		}
	}
}

// TestUncountedBody: a handler that reads a body itself gets no byte of it, and one that reads it by a Body keeps the
// connection.
func TestUncountedBody(t *testing.T) {
	t.Parallel()
	read := make(chan error, 1)
	w := newWorld(t, Options{}, func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	}, func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(NewBody(w, r, admission.New().Reserve("", "", func() {}), 0))
		fmt.Fprint(w, string(text), err)
	})
	post := func(path string) *httptest.ResponseRecorder {
		out := httptest.NewRecorder()
		w.ServeHTTP(out, httptest.NewRequest("POST", path, strings.NewReader("body")))
		return out
	}
	post("/pages")
	if err := <-read; !errors.Is(err, errUncounted) {
		t.Errorf("a handler that reads the body itself: %v", err)
	}
	if out := post("/records"); out.Body.String() != "body<nil>" || out.Header().Get("Connection") != "" {
		t.Errorf("a handler that reads it by a Body: %q, Connection %q", out.Body, out.Header().Get("Connection"))
	}
}
