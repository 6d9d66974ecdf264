package httpapi

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

// exchange is what the log line of a request is made from. It never holds a token, nor
// anything else that the client wrote.
type exchange struct {
	id, operation, keyID string
	err                  error // unforeseen, behind a 500 or 503
}

type exchangeKey struct{}

// current returns the exchange of a request. It carries facts for the log alone; who calls
// and what they may do are arguments.
func current(r *http.Request) *exchange {
	if x, ok := r.Context().Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

// observe gives each request its id, writes its log line, counts it, and turns a panic into a 500.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{id: id.New(id.Request), operation: "none"}
		begin := time.Now()
		rec := &recorder{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		h := w.Header()
		h.Set("X-Request-Id", x.id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		defer func() {
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					s.account(x, r.Method, rec.status, time.Since(begin))
					panic(p)
				}
				x.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
				if rec.status == 0 {
					s.refuse(rec, r, unforeseen)
				}
			}
			s.account(x, r.Method, rec.status, time.Since(begin))
		}()
		next.ServeHTTP(rec, r)
	})
}

var unforeseen = api.Refuse(api.CodeInternal, "Something unforeseen happened. The request id leads to the cause in our log.")

func (s *Server) account(x *exchange, method string, status int, took time.Duration) {
	if status == 0 {
		status = http.StatusOK
	}
	if s.Metrics != nil {
		s.Metrics.observe(x.operation, method, status, took)
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{slog.String("id", x.id), slog.String("route", x.operation), slog.String("method", method), slog.Int("status", status),
		slog.Float64("durationMs", float64(took.Microseconds())/1000), slog.String("key", x.keyID)}
	if x.err != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", x.err.Error()))
	}
	s.Log.LogAttrs(context.Background(), level, "request", attrs...)
}

// recorder remembers the status.
type recorder struct {
	http.ResponseWriter
	status int
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush passes on what has been written, for streams.
func (w *recorder) Flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}
