package httpapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// paced serves what write writes to clients that must take 192 KiB in three seconds, over connections
// that hold little, and returns its address.
func paced(t *testing.T, write http.HandlerFunc) string {
	t.Helper()
	s := &Server{Options: Options{Log: slog.New(slog.DiscardHandler), Pace: Pace{Window: 3 * time.Second, Bytes: 192 << 10}}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: s.observe(write), ReadHeaderTimeout: time.Second, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(16 << 10)
		return ctx
	}}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

// take reads an answer at a rate, at most for a while, and returns how much came and how it ended.
func take(t *testing.T, address string, rate int, most time.Duration) (n int, err error) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(16 << 10)
	_, _ = fmt.Fprint(c, "GET / HTTP/1.0\r\n\r\n")
	piece := make([]byte, rate/20)
	for begun := time.Now(); time.Since(begun) < most && err == nil; {
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
		var one int
		one, err = io.ReadFull(c, piece)
		n += one
		time.Sleep(time.Until(begun.Add(time.Duration(n) * time.Second / time.Duration(rate))))
	}
	return n, err
}

func bytesOf(total int, contentType string, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		piece := make([]byte, 32<<10)
		for n := 0; n < total; n += len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
			time.Sleep(pause)
		}
	}
}

// TestSlowClientsAreLetGo: an answer ends when the client takes less than it must on average. Who takes
// enough is served to the end, whatever the answer takes to come; event streams go on.
func TestSlowClientsAreLetGo(t *testing.T) {
	const file, stream = "application/octet-stream", "text/event-stream"
	var all sync.WaitGroup
	defer all.Wait()
	for name, c := range map[string]struct {
		write http.HandlerFunc
		rate  int
		all   int  // bytes that come at least, or
		ends  bool // the answer ends before the client does
	}{
		"too slow":          {bytesOf(8<<20, file, 0), 16 << 10, 0, true},
		"slow enough":       {bytesOf(640<<10, file, 0), 128 << 10, 640 << 10, true},
		"a slow source":     {bytesOf(128<<10, file, time.Second), 128 << 10, 128 << 10, true},
		"slow and a stream": {bytesOf(8<<20, stream, 0), 16 << 10, 80 << 10, false},
	} {
		address := paced(t, c.write)
		all.Go(func() {
			n, err := take(t, address, c.rate, 6*time.Second)
			if n < c.all || (err != nil) != c.ends {
				t.Errorf("%s: %d KiB, %v", name, n>>10, err)
			}
		})
	}
}
