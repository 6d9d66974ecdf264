package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/tracker"
)

const (
	recheckEvery   = 500 * time.Millisecond // after which the rights of a caller are read again
	heartbeat      = 5 * time.Second        // between two comments of an idle stream
	maxIdleBuffer  = 64 << 10               // bytes of a buffer that an idle stream may keep
	maxQueuedBytes = 64 << 10               // bytes of events that are read before they are written
	flushSize      = 16 << 10               // bytes that are written at once
)

// writeEvents answers with server-sent events until the client disconnects, the key ends or the node drains. A client
// that reconnects with the last id that it received misses no event.
func (a *API) writeEvents(q *request) error {
	for _, name := range []string{"limit", "cursor"} {
		if q.URL.Query().Has(name) {
			return api.InvalidParameter(name, "not_for_streams",
				name+" is for pages; a stream continues from Last-Event-ID or after")
		}
	}
	stream, err := q.call.Events()
	if err != nil {
		return err
	}
	defer stream.Close()
	ctx, cancel := untilDrain(q.Request)
	defer cancel()
	h := q.w.Header()
	h.Set("Content-Type", httpserver.EventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // tells a proxy not to buffer events
	out := &eventWriter{w: q.w, control: http.NewResponseController(q.w)}
	out.send("retry: 1000\n\n")
	if err := writeStreamEvents(ctx, stream, out); err != nil {
		out.sendProblem(a.complete(*problemOf(q.Request, err), q.Request))
	}
	return nil
}

// untilDrain returns the context of a request, which also ends when the node drains.
func untilDrain(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		select {
		case <-httpserver.Draining(r):
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// writeStreamEvents writes the events and heartbeats of a stream until ctx ends, a write fails or the caller has lost
// the right to read them, which is an error.
func writeStreamEvents(ctx context.Context, stream *tracker.EventStream, out *eventWriter) error {
	l := eventLoop{stream: stream, out: out, rechecked: time.Now(), lastHeartbeat: time.Now()}
	for ctx.Err() == nil && out.err == nil {
		if err := l.next(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		out.flush()
	}
	return nil
}

// eventLoop writes the events of a stream. It reads the rights of the caller again after each recheckEvery.
type eventLoop struct {
	stream                   *tracker.EventStream
	out                      *eventWriter
	rechecked, lastHeartbeat time.Time
}

// next waits for events until the rights must be read again, and writes the events and the heartbeat that is due.
func (l *eventLoop) next(ctx context.Context) error {
	wait, cancel := context.WithDeadline(ctx, l.rechecked.Add(recheckEvery))
	err := l.stream.Next(wait, l.out.queue)
	cancel()
	if err != nil {
		return err
	}
	if time.Since(l.rechecked) >= recheckEvery {
		err := l.stream.Recheck(ctx)
		l.rechecked = time.Now()
		if err != nil {
			return err
		}
	}
	if time.Since(l.lastHeartbeat) >= heartbeat {
		l.lastHeartbeat = time.Now()
		l.out.buffer.WriteString(": heartbeat\n\n")
	}
	return l.out.writeQueued(func(t api.EventType) (bool, error) { return l.stream.Allows(ctx, t) })
}

// eventWriter writes server-sent events. After the first error it writes nothing.
type eventWriter struct {
	w           http.ResponseWriter
	control     *http.ResponseController
	queued      []queuedEvent
	queuedBytes int
	buffer      bytes.Buffer
	err         error
}

// queuedEvent is an event in the form in which it is written.
type queuedEvent struct {
	eventType api.EventType
	text      []byte
}

// queue adds an event to the queue, and reports whether there is room for another.
func (o *eventWriter) queue(e api.Event) bool {
	data, err := json.Marshal(e)
	if err != nil {
		o.err = err
		return false
	}
	text := fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data)
	o.queued, o.queuedBytes = append(o.queued, queuedEvent{e.Type, text}), o.queuedBytes+len(text)
	return o.queuedBytes < maxQueuedBytes
}

// writeQueued writes the queued events that the caller may still read. The right is read again for each event,
// because each write may wait for the client.
func (o *eventWriter) writeQueued(mayRead func(api.EventType) (bool, error)) error {
	defer func() { o.queued, o.queuedBytes = nil, 0 }()
	for _, e := range o.queued {
		allowed, err := mayRead(e.eventType)
		if err != nil || o.err != nil {
			return err
		}
		if allowed {
			o.buffer.Write(e.text)
		}
		if o.buffer.Len() >= flushSize {
			o.flush()
		}
	}
	return nil
}

// sendProblem writes why the stream ends, instead of the events in the buffer.
func (o *eventWriter) sendProblem(p api.Problem) {
	o.buffer.Reset()
	if data, err := json.Marshal(p); err == nil {
		o.send(fmt.Sprintf("event: problem\ndata: %s\n\n", data))
	}
}

func (o *eventWriter) send(text string) {
	o.buffer.WriteString(text)
	o.flush()
}

func (o *eventWriter) flush() {
	if o.err != nil || o.buffer.Len() == 0 {
		return
	}
	_, o.err = o.w.Write(o.buffer.Bytes())
	if o.buffer.Reset(); o.buffer.Cap() > maxIdleBuffer {
		o.buffer = bytes.Buffer{}
	}
	if o.err == nil {
		o.err = o.control.Flush()
	}
}
