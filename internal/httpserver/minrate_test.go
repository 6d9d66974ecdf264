package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"
)

// serveSlow serves write to clients that must receive 192 KiB in three seconds, over connections with small
// buffers, and returns its address.
func serveSlow(t *testing.T, write http.HandlerFunc) string {
	t.Helper()
	s := New(Options{Log: slog.New(slog.DiscardHandler), MinRate: MinRate{Window: 3 * time.Second, Bytes: 192 << 10}})
	s.Mount("/", write, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Second,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			_ = c.(*net.TCPConn).SetWriteBuffer(16 << 10)
			return ctx
		}}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

// receive reads a response at a rate, for at most a given time, and returns how many bytes came and how it ended.
func receive(t *testing.T, address string, rate int, most time.Duration) (n int, err error) {
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

// TestMinRate: a response ends when its client receives less than the minimum rate. A client that receives
// enough gets all of it, even from a slow handler. Event streams have no minimum rate.
func TestMinRate(t *testing.T) {
	const file, stream = "application/octet-stream", "text/event-stream"
	var all sync.WaitGroup
	defer all.Wait()
	for name, c := range map[string]struct {
		write http.HandlerFunc
		rate  int
		all   int  // bytes that arrive at least
		ends  bool // the server ends the response before the client does
	}{
		"too slow":          {bytesOf(8<<20, file, 0), 16 << 10, 0, true},
		"slow enough":       {bytesOf(640<<10, file, 0), 128 << 10, 640 << 10, true},
		"a slow source":     {bytesOf(128<<10, file, time.Second), 128 << 10, 128 << 10, true},
		"slow and a stream": {bytesOf(8<<20, stream, 0), 16 << 10, 80 << 10, false},
	} {
		address := serveSlow(t, c.write)
		all.Go(func() {
			n, err := receive(t, address, c.rate, 6*time.Second)
			if n < c.all || (err != nil) != c.ends {
				t.Errorf("%s: received %d KiB (%v), want at least %d KiB; ended by the server: %v, want %v",
					name, n>>10, err, c.all>>10, err != nil, c.ends)
			}
		})
	}
}

// TestSlowClientsAreReset: the connection of a client that is too slow is reset, so that the kernel does not go on
// sending to it for as long as it likes.
func TestSlowClientsAreReset(t *testing.T) {
	t.Parallel()
	s := New(Options{Log: slog.New(slog.DiscardHandler),
		MinRate: MinRate{Window: 500 * time.Millisecond, Bytes: 192 << 10}})
	ended := make(chan struct{})
	write := bytesOf(8<<20, "application/octet-stream", 0)
	s.Mount("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { write(w, r); close(ended) }), nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- s.Serve(ctx, l, nil) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	_, _ = fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-ended
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if n, err := io.Copy(io.Discard, c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("received %d bytes after the end, then %v, want a reset", n, err)
	}
}
