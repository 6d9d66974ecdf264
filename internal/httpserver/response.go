package httpserver

import (
	"net/http"
	"time"
)

// responseWriter records the status. A write fails when the client receives nothing for the write timeout, or less
// than the minimum rate unless the response is an event stream.
type responseWriter struct {
	http.ResponseWriter
	info    *RequestInfo
	meter   rateMeter
	status  int // 0 until the header is written
	stream  bool
	started bool // a piece of the body was written
	refused bool // the client lost the right to the rest
	body    *sentBody
}

func newResponseWriter(w http.ResponseWriter, info *RequestInfo, minimum MinRate) *responseWriter {
	if minimum.Window == 0 {
		minimum = DefaultMinRate
	}
	return &responseWriter{ResponseWriter: w, info: info, meter: rateMeter{minimum: minimum}}
}

// extendWriteDeadline sets the deadline of the next write, and returns the current time.
func (w *responseWriter) extendWriteDeadline() time.Time {
	now, left := time.Now(), writeTimeout
	if !w.stream {
		left = min(left, w.meter.timeLeft())
	}
	_ = w.info.control.SetWriteDeadline(now.Add(left))
	return now
}

func (w *responseWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
		w.stream = w.Header().Get("Content-Type") == EventStream
		if w.body.isUnread() { // net/http would wait for the body before it sends the header
			w.Header().Set("Connection", "close")
		}
	}
	w.extendWriteDeadline()
	w.ResponseWriter.WriteHeader(status)
}

const pieceSize = 16 << 10

// Write writes b in pieces. Each has a deadline of its own, and is refused to a client that has lost the right to it.
// An empty b is one empty piece.
func (w *responseWriter) Write(b []byte) (n int, err error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	for {
		if err := w.recheck(); err != nil {
			return n, err
		}
		started := w.extendWriteDeadline()
		written, err := w.writePiece(b[n:min(len(b), n+pieceSize)])
		n += written
		w.meter.add(written, time.Since(started))
		if err != nil || n >= len(b) {
			return n, err
		}
	}
}

func (w *responseWriter) writePiece(b []byte) (int, error) {
	if w.info.writePiece == nil {
		return w.ResponseWriter.Write(b)
	}
	return w.info.writePiece(func() (int, error) { return w.ResponseWriter.Write(b) })
}

// recheck refuses a piece after the first to a client that has lost the right to it.
func (w *responseWriter) recheck() (err error) {
	if w.started && !w.stream && w.info.Recheck != nil {
		err = w.info.Recheck()
		w.refused = w.refused || err != nil
	}
	w.started = true
	return err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends the buffered bytes, for streams.
func (w *responseWriter) Flush() {
	started := w.extendWriteDeadline()
	_ = w.info.control.Flush()
	w.meter.add(0, time.Since(started))
}
