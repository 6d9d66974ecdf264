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
	out                  *recorder
}

// How long a client may take to send a body, or send nothing of a file, and how long it may take
// nothing of an answer: longer, since a body that nobody asked for is waited for between the two.
const (
	SendTime = 30 * time.Second
	TakeTime = 45 * time.Second
)

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
		begin := time.Now()
		rec := newRecorder(w, s.Pace)
		x := &exchange{id: id.New(id.Request), operation: "none", out: rec}
		if r.ContentLength == 0 {
			arrived(rec)
		}
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		h := w.Header()
		h.Set("X-Request-Id", x.id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if ambiguous(r) {
			h.Set("Connection", "close")
		}
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

// account names the methods of HTTP alone: any other is what the client wrote.
func (s *Server) account(x *exchange, method string, status int, took time.Duration) {
	switch method {
	case "GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS":
	default:
		method = "other"
	}
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

// awaited gives the client its time anew, from when its body is wanted.
func awaited(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(SendTime))
}

// arrived lifts the bound on a request's time, which holds until all of it is there. A client that
// goes later is noticed still.
func arrived(w http.ResponseWriter) { _ = http.NewResponseController(w).SetReadDeadline(time.Time{}) }

// recorder remembers the status. A client that takes nothing of the answer for a while is let go, and
// so is one that takes too little of it, unless it is a stream of events.
type recorder struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int
	taken   taken
	stream  bool
	large   *largeAnswer // what is written is part of it
}

func newRecorder(w http.ResponseWriter, pace Pace) *recorder {
	if pace.Window == 0 {
		pace = DefaultPace
	}
	return &recorder{ResponseWriter: w, control: http.NewResponseController(w), taken: taken{pace: pace}}
}

// wait gives the client time for what comes next, and returns when that began.
func (w *recorder) wait() time.Time {
	now, patience := time.Now(), TakeTime
	if !w.stream {
		patience = min(patience, w.taken.patience())
	}
	_ = w.control.SetWriteDeadline(now.Add(patience))
	return now
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
		w.stream = w.Header().Get("Content-Type") == eventStream
	}
	w.wait()
	w.ResponseWriter.WriteHeader(status)
}

const pieceSize = 16 << 10

// Write gives the client time for each piece.
func (w *recorder) Write(b []byte) (n int, err error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	for more := true; more && err == nil; more = n < len(b) {
		began := w.wait()
		var one int
		err = w.large.aside(func() (int, error) {
			one, err = w.ResponseWriter.Write(b[n:min(len(b), n+pieceSize)])
			return one, err
		})
		n += one
		w.taken.add(one, time.Since(began))
	}
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush passes on what has been written, for streams.
func (w *recorder) Flush() {
	began := w.wait()
	_ = w.control.Flush()
	w.taken.add(0, time.Since(began))
}
