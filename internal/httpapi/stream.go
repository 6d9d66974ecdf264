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
	"bugslice/internal/tracker"
)

const (
	heartbeat     = 5 * time.Second        // between two signs of life of a stream
	recheckEvery  = 500 * time.Millisecond // between two checks of a stream's rights
	maxIdleBuffer = 64 << 10               // bytes that a stream keeps while nothing happens
	fullBuffer    = 64 << 10               // bytes that are written before more events are read
)

// streamEvents answers with server-sent events until the client goes, the key ends or the node
// is drained. A client that comes again with the last id it saw misses nothing.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request, c tracker.Caller, in api.ListEvents) error {
	for _, name := range []string{"limit", "cursor"} {
		if r.URL.Query().Has(name) {
			return api.InvalidParameter(name, "not_for_streams", name+" is for pages; a stream goes on by Last-Event-ID or after")
		}
	}
	if in.LastEventID != "" {
		in.After = in.LastEventID
	}
	end, err := s.streams.begin(w, c.Key.ID)
	if err != nil {
		return err
	}
	defer end()
	stream, err := s.Tracker.StreamEvents(r.Context(), c, in)
	if err != nil {
		return err
	}
	defer stream.Close()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-s.draining:
			cancel()
		case <-ctx.Done():
		}
	}()
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy must not hold events back
	out := &eventWriter{w: w, control: http.NewResponseController(w)}
	out.send("retry: 1000\n\n")
	s.follow(ctx, stream, out)
	return nil
}

// follow writes what happens, until the caller may read no more of it.
func (s *Server) follow(ctx context.Context, stream *tracker.EventStream, out *eventWriter) {
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
	buffer  bytes.Buffer
	err     error
}

// event adds an event to what is written next, and says whether there is room for another.
func (o *eventWriter) event(e api.Event) bool {
	data, err := json.Marshal(e)
	if err != nil {
		o.err = err
		return false
	}
	fmt.Fprintf(&o.buffer, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data)
	return o.buffer.Len() < fullBuffer
}

// problem says why the stream ends.
func (o *eventWriter) problem(err error) {
	var p *api.Problem
	if !errors.As(err, &p) {
		p = unforeseen
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
