package httpserver

import (
	"net/http"
	"time"
)

// readTimeout bounds how long a client may take to send a request, and to send nothing of a body that is read.
// writeTimeout bounds how long it may receive nothing of a response. It is longer, because net/http reads
// the rest of an unread body before the response is sent.
const (
	readTimeout  = 30 * time.Second
	writeTimeout = 45 * time.Second
)

// EventStream is the media type of responses that may take any time to be received.
const EventStream = "text/event-stream"

// ExtendReadDeadline gives the client the whole read timeout again, from now on.
func ExtendReadDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTimeout))
}

// InterruptRead makes a pending read of the body fail at once.
func InterruptRead(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now())
}

// InterruptWrite makes a pending write of the response fail at once.
func InterruptWrite(r *http.Request) {
	if out := Info(r).out; out != nil {
		_ = out.control.SetWriteDeadline(time.Now())
	}
}

// ClearReadDeadline ends the bound on the time of a request whose body has arrived. net/http still notices
// when the client leaves.
func ClearReadDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// responseWriter remembers the status. It ends the response to a client that receives nothing for the write
// timeout, or less than the minimum rate unless the response is an event stream.
type responseWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int // 0 until the header is written
	meter   rateMeter
	stream  bool
	info    *RequestInfo
	started bool // a piece of the body was written
	refused bool // the client lost the right to the rest
}

func newResponseWriter(w http.ResponseWriter, least MinRate) *responseWriter {
	if least.Window == 0 {
		least = DefaultMinRate
	}
	return &responseWriter{ResponseWriter: w, control: http.NewResponseController(w), meter: rateMeter{least: least}}
}

// extendWriteDeadline gives the client time to receive the next piece, and returns when that began.
func (w *responseWriter) extendWriteDeadline() time.Time {
	now, left := time.Now(), writeTimeout
	if !w.stream {
		left = min(left, w.meter.timeLeft())
	}
	_ = w.control.SetWriteDeadline(now.Add(left))
	return now
}

func (w *responseWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
		w.stream = w.Header().Get("Content-Type") == EventStream
	}
	w.extendWriteDeadline()
	w.ResponseWriter.WriteHeader(status)
}

const pieceSize = 16 << 10

// Write extends the deadline for each piece.
func (w *responseWriter) Write(b []byte) (n int, err error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	for more := true; more && err == nil; more = n < len(b) {
		if err = w.recheck(); err != nil {
			break
		}
		started := w.extendWriteDeadline()
		var written int
		written, err = w.writePiece(b[n:min(len(b), n+pieceSize)])
		n += written
		w.meter.add(written, time.Since(started))
	}
	return n, err
}

func (w *responseWriter) writePiece(b []byte) (int, error) {
	if w.info == nil || w.info.WritePiece == nil {
		return w.ResponseWriter.Write(b)
	}
	return w.info.WritePiece(func() (int, error) { return w.ResponseWriter.Write(b) })
}

// recheck refuses a piece behind the first one to a client that has lost the right to it.
func (w *responseWriter) recheck() (err error) {
	if w.started && !w.stream && w.info != nil && w.info.Recheck != nil {
		err = w.info.Recheck()
		w.refused = w.refused || err != nil
	}
	w.started = true
	return err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends the bytes that were written, for streams.
func (w *responseWriter) Flush() {
	started := w.extendWriteDeadline()
	_ = w.control.Flush()
	w.meter.add(0, time.Since(started))
}
