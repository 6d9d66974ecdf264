package httpserver

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
)

// Body reads the body of a request. Each read extends the read deadline of the client, until the deadline of the body
// if it has one. It refuses a body that missed a deadline, or was evicted because memory was short.
type Body struct {
	Response http.ResponseWriter
	Memory   *admission.Reservation
	Deadline time.Time

	from io.Reader
}

// NewBody returns the body of a request under a Reservation. After limit bytes its error is an http.MaxBytesError; 0
// is no limit.
func NewBody(w http.ResponseWriter, r *http.Request, memory *admission.Reservation, limit int64) *Body {
	from := r.Body
	if sent, ok := from.(*sentBody); ok {
		from = io.NopCloser(sent.reader())
	}
	if limit > 0 {
		from = http.MaxBytesReader(nil, from, limit)
	}
	return &Body{Response: w, Memory: memory, from: from}
}

var errLate = api.NewProblem(api.CodeRequestTimeout, "The rest of the body did not arrive in time. Send it again.")

// Read implements io.Reader. It looks for an eviction before and after the body is read: an eviction during the read
// only interrupts it.
func (b *Body) Read(p []byte) (int, error) {
	if b.Deadline.IsZero() || time.Now().Before(b.Deadline) {
		ExtendReadDeadline(b.Response)
	}
	if evicted := b.Memory.Err(); evicted != nil {
		return 0, evicted
	}
	n, err := b.from.Read(p)
	if evicted := b.Memory.Transferred(n); evicted != nil {
		return n, evicted
	}
	if errors.Is(err, io.EOF) {
		if evicted := b.Memory.Complete(); evicted != nil {
			return n, evicted
		}
		ClearReadDeadline(b.Response)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, errLate
	}
	return n, err
}

// sentBody is the body of a request as the client sends it. A handler reads it by a Body alone.
type sentBody struct {
	io.ReadCloser
	ended atomic.Bool // it was read to its end
}

var errUncounted = errors.New("httpserver: a handler reads the body of a request without a Reservation")

// Read refuses to read: the bytes would be in memory that nothing bounds.
func (*sentBody) Read([]byte) (int, error) { return 0, errUncounted }

func (b *sentBody) reader() io.Reader { return &countedReader{b} }

// countedReader reads a sentBody, and notices its end.
type countedReader struct{ body *sentBody }

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.body.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		c.body.ended.Store(true)
	}
	return n, err
}

// isUnread reports whether the client may still be sending the body.
func (b *sentBody) isUnread() bool { return b != nil && !b.ended.Load() }
