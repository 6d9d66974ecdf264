package httpserver

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"bugslice/api"
)

// RequestInfo is what the server knows about a request, and what its front end adds for the log line. It carries no
// rights: the caller is an argument. No token may be stored in it.
type RequestInfo struct {
	ID     string     // the X-Request-Id of the response
	Client netip.Addr // the zero Addr when the address cannot be parsed

	Operation string // set by the front end, one of a fixed set, because it labels metrics; "none" until then
	KeyID     string // set by the front end once the caller is authenticated
	Err       error  // set by the front end: the cause of a 500 or 503, for the log alone

	// Recheck is set by the front end. It refuses a client that has lost the right to the response since the
	// response began. It is called before each piece of the response except the first, unless it is an event stream.
	Recheck func() error

	writePiece   func(send func() (int, error)) (int, error) // nil for a piece that is written at once
	control      *http.ResponseController
	writeProblem ProblemWriter
	draining     <-chan struct{}
}

// SetWritePiece has each piece of the response written by write, which calls send and returns its result. A front end
// sets it for a response whose memory is reserved; nil ends that.
func (i *RequestInfo) SetWritePiece(write func(send func() (int, error)) (int, error)) {
	i.writePiece = write
}

// InterruptWrite makes a pending write of the response fail at once.
func (i *RequestInfo) InterruptWrite() {
	if i.control != nil {
		_ = i.control.SetWriteDeadline(time.Now())
	}
}

// ProblemWriter answers a request with a problem, in the form that the clients of a front end read.
type ProblemWriter func(w http.ResponseWriter, r *http.Request, p *api.Problem)

type infoKey struct{}

// Info returns the RequestInfo of a request. It is empty for a request that no Server has passed on.
func Info(r *http.Request) *RequestInfo {
	if info, ok := r.Context().Value(infoKey{}).(*RequestInfo); ok {
		return info
	}
	return &RequestInfo{}
}

func withInfo(r *http.Request, info *RequestInfo) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), infoKey{}, info))
}

// Draining returns a channel that is closed when the node stops, for responses that have no end of their own.
func Draining(r *http.Request) <-chan struct{} { return Info(r).draining }

// WriteProblem answers a request with a problem, in the form of the front end that serves it.
func WriteProblem(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	if write := Info(r).writeProblem; write != nil {
		write(w, r, p)
		return
	}
	http.Error(w, p.Title+": "+p.Detail, p.Status)
}
