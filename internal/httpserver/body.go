package httpserver

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
)

// Body reads the body of a request. Each read extends the read deadline of the client, until the deadline of the body if it has
// one. It refuses a body that missed a deadline, or was evicted because memory was short.
type Body struct {
	io.Reader
	Response http.ResponseWriter
	Memory   *admission.Reservation
	Deadline time.Time
}

var errLate = api.NewProblem(api.CodeRequestTimeout, "The rest of the body did not arrive in time. Send it again.")

// Read implements io.Reader. It looks for an eviction before and after the body is read: an eviction during the read only
// interrupts it.
func (b *Body) Read(p []byte) (int, error) {
	if b.Deadline.IsZero() || time.Now().Before(b.Deadline) {
		ExtendReadDeadline(b.Response)
	}
	if evicted := b.Memory.Err(); evicted != nil {
		return 0, evicted
	}
	n, err := b.Reader.Read(p)
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
