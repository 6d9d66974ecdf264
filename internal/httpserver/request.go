package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
)

// ServeHTTP passes a request to its front end and writes its log line. It answers a panic with a 500, unless the
// response has begun. http.ErrAbortHandler closes the connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	info := &RequestInfo{ID: id.New(id.Request), Client: clientAddress(r, s.TrustedProxies), Operation: "none",
		writeProblem: s.WriteProblem, draining: s.draining, control: http.NewResponseController(w)}
	s.warnUntrustedProxy(r)
	r = withInfo(r, info)
	out := newResponseWriter(w, info, s.MinRate)
	if r.ContentLength == 0 {
		ClearReadDeadline(out)
	} else {
		out.body = &sentBody{ReadCloser: r.Body}
		r.Body = out.body
	}
	h := w.Header()
	h.Set("X-Request-Id", info.ID)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if hasAmbiguousLength(r) {
		h.Set("Connection", "close")
	}
	defer s.finish(out, r, started)
	s.handler.ServeHTTP(out, r)
	if out.refused { // an incomplete response must not look complete
		resetConnection(r)
		panic(http.ErrAbortHandler)
	}
}

// finish ends a request when its handler has returned or panicked. It must be deferred.
func (s *Server) finish(out *responseWriter, r *http.Request, started time.Time) {
	panicked := recover()
	err, _ := panicked.(error)
	aborted := errors.Is(err, http.ErrAbortHandler)
	if panicked != nil && !aborted {
		out.info.Err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		if out.status == 0 {
			WriteProblem(out, r, api.Internal())
		}
	}
	s.logRequest(out.info, r.Method, out.status, time.Since(started))
	if aborted {
		panic(panicked)
	}
	if out.body.isUnread() {
		discardUnread(out, r)
	}
}

// logRequest writes the log line of a request and measures it. A method that HTTP does not define is recorded as
// "other", because the client chose its text.
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
	if info.Client.IsValid() {
		attrs = append(attrs, slog.String("client", info.Client.String()))
	}
	if info.Err != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", info.Err.Error()))
	}
	s.Log.LogAttrs(context.Background(), level, "request", attrs...)
}
