package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
)

// RequestInfo is what the server knows about a request and what its front end adds for the log line. It
// carries no rights: the caller and the caller's rights are arguments. No token may be stored in it.
type RequestInfo struct {
	ID     string     // the X-Request-Id of the response
	Client netip.Addr // the zero Addr when the address cannot be read

	Operation string // set by the front end, one of a fixed set: it labels metrics; "none" until then
	KeyID     string // set by the front end once the caller is known
	Err       error  // set by the front end: the cause of a 500 or 503, for the log alone

	// Recheck is set by the front end: it refuses a client that has lost the right to the response since the
	// response began. It is called before each piece of the response but the first, unless it is an event stream.
	Recheck func() error

	// WritePiece is set by the front end for a response whose memory is counted: it calls write, which writes a
	// piece of the response, and returns what that returned.
	WritePiece func(write func() (int, error)) (int, error)

	out          *responseWriter
	writeProblem ProblemWriter
	draining     <-chan struct{}
}

type infoKey struct{}

// Info returns the RequestInfo of a request. For a request that did not come through a Server it is empty.
func Info(r *http.Request) *RequestInfo {
	if info, ok := r.Context().Value(infoKey{}).(*RequestInfo); ok {
		return info
	}
	return &RequestInfo{}
}

// Draining returns a channel that is closed when the node stops, for responses that have no end of their own.
func Draining(r *http.Request) <-chan struct{} { return Info(r).draining }

// ServeHTTP serves a request by its front end and writes its log line. A panic is answered with a 500, unless
// the response has begun; http.ErrAbortHandler ends the connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	info := &RequestInfo{ID: id.New(id.Request), Client: s.clientAddress(r), Operation: "none",
		writeProblem: s.WriteProblem, draining: s.draining}
	r = r.WithContext(context.WithValue(r.Context(), infoKey{}, info))
	out := newResponseWriter(w, s.MinRate)
	out.info, info.out = info, out
	if r.ContentLength == 0 {
		ClearReadDeadline(out)
	}
	h := w.Header()
	h.Set("X-Request-Id", info.ID)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if hasAmbiguousLength(r) {
		h.Set("Connection", "close")
	}
	defer func() {
		p := recover()
		err, _ := p.(error)
		aborted := errors.Is(err, http.ErrAbortHandler)
		if p != nil && !aborted {
			info.Err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			if out.status == 0 {
				WriteProblem(out, r, api.Internal())
			}
		}
		s.logRequest(info, r.Method, out.status, time.Since(started))
		if aborted {
			panic(p)
		}
	}()
	s.route(out, r)
	if out.refused { // half of a response must not look like a whole one
		panic(http.ErrAbortHandler)
	}
}

// logRequest writes the log line of a request and measures it. A method that HTTP does not define is text
// of the client, so it is recorded as "other".
func (s *Server) logRequest(info *RequestInfo, method string, status int, took time.Duration) {
	switch method {
	case "GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS":
	default:
		method = "other"
	}
	if status == 0 {
		status = http.StatusOK
	}
	if s.Metrics != nil {
		s.Metrics.observe(info.Operation, method, status, took)
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{slog.String("id", info.ID), slog.String("route", info.Operation),
		slog.String("method", method), slog.Int("status", status),
		slog.Float64("durationMs", float64(took.Microseconds())/1000), slog.String("key", info.KeyID)}
	if info.Err != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", info.Err.Error()))
	}
	s.Log.LogAttrs(context.Background(), level, "request", attrs...)
}

// clientAddress returns the address that a request came from: the peer of the connection, or, when the peer
// is a trusted proxy, the last address in X-Forwarded-For that is not one.
func (s *Server) clientAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.isTrusted(client); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = hop.Unmap()
	}
	return client
}

func (s *Server) isTrusted(a netip.Addr) bool {
	for _, p := range s.TrustedProxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
