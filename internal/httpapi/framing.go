package httpapi

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync/atomic"
)

// Listener accepts connections that remember whether a Content-Length came on them: net/http removes
// the header of a request that has Transfer-Encoding, too, so that no handler can see it. The
// connections buffer little of what is written, and take more of it in small steps: a client on a slow
// line that takes all that comes must be seen to do so, in time.
type Listener struct{ net.Listener }

// Accept returns the next connection.
func (l Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	tcp, ok := c.(*net.TCPConn)
	if err != nil || !ok {
		return c, err
	}
	_ = tcp.SetWriteBuffer(128 << 10)
	wakeEarly(tcp, 32<<10)
	return &connection{TCPConn: tcp}, nil
}

// connection looks for Content-Length at the beginning of each line that it reads, in headers and bodies
// alike: it may see one that is none, and misses none.
type connection struct {
	*net.TCPConn
	matched   int // bytes of contentLength that were read last; net/http reads one piece after the other
	hasLength atomic.Bool
}

const contentLength = "\ncontent-length:"

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	if !c.hasLength.Load() {
		c.search(b[:n])
	}
	return n, err
}

func (c *connection) search(b []byte) {
	for len(b) > 0 {
		if c.matched == 0 {
			at := bytes.IndexByte(b, '\n')
			if at < 0 {
				return
			}
			b = b[at:]
		}
		char := b[0]
		if 'A' <= char && char <= 'Z' {
			char += 'a' - 'A'
		}
		switch char {
		case contentLength[c.matched]:
			c.matched++
		case '\n':
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

// WithConnection is the ConnContext of a server on a Listener.
func WithConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// ambiguous says whether two parties could disagree on where a request ends: it has Transfer-Encoding
// and may have Content-Length, too, or it is of HTTP/1.0, in which Transfer-Encoding is not read. Its
// connection closes after the answer (RFC 9112, 6.1 and 6.3). A chunked request on a connection that
// carried a Content-Length before is taken for one.
func ambiguous(r *http.Request) bool {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	return !r.ProtoAtLeast(1, 1) || ok && len(r.TransferEncoding) > 0 && c.hasLength.Load()
}
