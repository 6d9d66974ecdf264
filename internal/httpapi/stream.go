package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

const (
	heartbeat     = 5 * time.Second        // between two comments of an idle stream
	recheckEvery  = 500 * time.Millisecond // after which rights are read again
	maxIdleBuffer = 64 << 10               // bytes that an idle stream keeps
	fullBuffer    = 64 << 10               // bytes that are written before more events are read
	pieceSize     = 16 << 10               // bytes that are written at once
)

// streamEvents answers with server-sent events until the client disconnects, the key ends or the node drains.
// A client that reconnects with the last id that it received misses no event.
func (a *API) streamEvents(q *request, in input.Valid[api.ListEvents]) error {
	w, r := q.w, q.Request
	for _, name := range []string{"limit", "cursor"} {
		if r.URL.Query().Has(name) {
			return api.InvalidParameter(name, "not_for_streams", name+" is for pages; a stream goes on by Last-Event-ID or after")
		}
	}
	if err := a.streams.acquire(w, q.caller.KeyID()); err != nil {
		return err
	}
	defer a.streams.release(q.caller.KeyID())
	stream, err := a.Tracker.StreamEvents(r.Context(), q.caller, in)
	if err != nil {
		return err
	}
	defer stream.Close()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-httpserver.Draining(r):
			cancel()
		case <-ctx.Done():
		}
	}()
	h := w.Header()
	h.Set("Content-Type", httpserver.EventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy must not buffer events
	out := &eventWriter{w: w, control: http.NewResponseController(w)}
	out.send("retry: 1000\n\n")
	follow(ctx, stream, out)
	return nil
}

// follow writes events until the caller may no longer read them.
func follow(ctx context.Context, stream *tracker.EventStream, out *eventWriter) {
	checked, alive := time.Now(), time.Now()
	for ctx.Err() == nil && out.err == nil {
		pause, cancel := context.WithDeadline(ctx, checked.Add(recheckEvery))
		err := stream.Next(pause, out.event)
		cancel()
		if err == nil && time.Since(checked) >= recheckEvery {
			err = stream.Recheck(ctx)
			checked = time.Now()
		}
		if err == nil && time.Since(alive) >= heartbeat {
			alive = time.Now()
			out.buffer.WriteString(": heartbeat\n\n")
		}
		if err == nil {
			err = out.pass(func(of api.EventType) (bool, error) { return stream.Allows(ctx, of) })
		}
		if err != nil && ctx.Err() == nil {
			out.problem(err)
			return
		}
		out.flush()
	}
}

// eventWriter writes server-sent events. The first error ends it.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	events  []eventText // to be written next
	size    int         // of their texts
	buffer  bytes.Buffer
	err     error
}

// eventText is an event as it is written.
type eventText struct {
	of   api.EventType
	text []byte
}

// event adds an event to those that are written next, and says whether there is room for another.
func (o *eventWriter) event(e api.Event) bool {
	data, err := json.Marshal(e)
	if err != nil {
		o.err = err
		return false
	}
	text := fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data)
	o.events, o.size = append(o.events, eventText{e.Type, text}), o.size+len(text)
	return o.size < fullBuffer
}

// pass writes those events that the caller may still read. The client may take its time over each.
func (o *eventWriter) pass(may func(api.EventType) (bool, error)) error {
	defer func() { o.events, o.size = nil, 0 }()
	for _, e := range o.events {
		some, err := may(e.of)
		if err != nil || o.err != nil {
			return err
		}
		if some {
			o.buffer.Write(e.text)
		}
		if o.buffer.Len() >= pieceSize {
			o.flush()
		}
	}
	return nil
}

// problem writes why the stream ends, and drops the events that were not written yet.
func (o *eventWriter) problem(err error) {
	o.buffer.Reset()
	var p *api.Problem
	if !errors.As(err, &p) {
		p = api.Internal()
	}
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
