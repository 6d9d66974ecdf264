package httpserver

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
)

// listener accepts connections that record whether a Content-Length arrived on them: net/http removes the header from a
// request that also has Transfer-Encoding, so no handler can see it. The connections have small write buffers, so that
// the rate of a slow client is measured correctly.
type listener struct {
	net.Listener
	discards chan struct{} // has a value for each connection that is closed while its client still sends
}

func newListener(l net.Listener) listener { return listener{l, make(chan struct{}, maxDiscards)} }

// Accept returns the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	tcp, ok := c.(*net.TCPConn)
	if err != nil || !ok {
		return c, err
	}
	_ = tcp.SetWriteBuffer(128 << 10)
	setUnsentLimit(tcp, 32<<10)
	return &connection{TCPConn: tcp, discards: l.discards}, nil
}

// connection searches the bytes that it reads, headers and bodies, for lines that begin with Content-Length. It may
// find one in a body, and never misses one in a header.
type connection struct {
	*net.TCPConn
	matched   int // bytes of contentLength with which the bytes read so far end; reads are sequential
	hasLength atomic.Bool
	unread    atomic.Bool // the client may still be sending the body of a request that was answered
	discards  chan struct{}
}

const contentLength = "\ncontent-length:"

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	if !c.hasLength.Load() {
		c.search(b[:n])
	}
	return n, err
}

// search looks for contentLength, in any case, in the next bytes of the connection. It continues a match that the bytes
// before began.
func (c *connection) search(b []byte) {
	for len(b) > 0 {
		if c.matched == 0 {
			start := bytes.IndexByte(b, '\n')
			if start < 0 {
				return
			}
			b = b[start:]
		}
		char := b[0]
		if 'A' <= char && char <= 'Z' {
			char += 'a' - 'A'
		}
		switch char {
		case contentLength[c.matched]:
			c.matched++
		case contentLength[0]: // only its first byte can begin another match
			c.matched = 1
		default:
			c.matched = 0
		}
		if c.matched == len(contentLength) {
			c.hasLength.Store(true)
			return
		}
		b = b[1:]
	}
}

type connectionKey struct{}

// withConnection is the ConnContext of a server on a listener.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// Write resets the connection when its deadline passes: the kernel drops the bytes that the client has not received.
func (c *connection) Write(b []byte) (int, error) {
	n, err := c.TCPConn.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.resetOnClose()
	}
	return n, err
}

// resetOnClose makes the kernel drop what the client has not received when the connection is closed, instead of
// sending it for as long as the client takes.
func (c *connection) resetOnClose() {
	c.unread.Store(false)
	_ = c.SetLinger(0)
}

// resetConnection resets the connection of a request when it is closed.
func resetConnection(r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		c.resetOnClose()
	}
}

// hasAmbiguousLength reports whether a proxy could find another end of a request than this server: it has
// Transfer-Encoding and may also have Content-Length, or it is an HTTP/1.0 request, where Transfer-Encoding is ignored.
// Its connection is closed after the response (RFC 9112, 6.1 and 6.3). A chunked request on a connection that had a
// Content-Length before counts as ambiguous.
func hasAmbiguousLength(r *http.Request) bool {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	return !r.ProtoAtLeast(1, 1) || ok && len(r.TransferEncoding) > 0 && c.hasLength.Load()
}
