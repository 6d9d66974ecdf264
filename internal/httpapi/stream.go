package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
)

const (
	heartbeat     = 5 * time.Second // between two checks of a stream's key
	streamsPerKey = 20
	maxIdleBuffer = 64 << 10 // bytes that a stream keeps while nothing happens
)

// streams counts the open streams of each key.
type streams struct {
	mu   sync.Mutex
	open map[string]int
}

func (s *streams) begin(keyID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]int{}
	}
	if s.open[keyID] >= streamsPerKey {
		return api.Refuse(api.CodeRateLimited, fmt.Sprintf("The key has %d streams open on this node, which is all it may have.", streamsPerKey))
	}
	s.open[keyID]++
	return nil
}

func (s *streams) end(keyID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[keyID]--; s.open[keyID] == 0 {
		delete(s.open, keyID)
	}
}

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
	if err := s.streams.begin(c.Key.ID); err != nil {
		w.Header().Set("Retry-After", "5")
		return err
	}
	defer s.streams.end(c.Key.ID)
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
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy must not hold events back
	out := &eventWriter{w: w, control: http.NewResponseController(w)}
	out.send("retry: 1000\n\n")
	s.follow(ctx, r, stream, out)
	return nil
}

// follow writes what happens. It asks for the key and its rights again at each heartbeat.
func (s *Server) follow(ctx context.Context, r *http.Request, stream *tracker.EventStream, out *eventWriter) {
	checked := time.Now()
	for ctx.Err() == nil && out.err == nil {
		pause, cancel := context.WithDeadline(ctx, checked.Add(heartbeat))
		err := stream.Next(pause, out.event)
		cancel()
		if err == nil && time.Since(checked) >= heartbeat {
			checked = time.Now()
			out.buffer.WriteString(": heartbeat\n\n")
			err = s.renew(ctx, r, stream)
		}
		if err != nil && ctx.Err() == nil {
			out.problem(err)
			return
		}
		out.flush()
	}
}

func (s *Server) renew(ctx context.Context, r *http.Request, stream *tracker.EventStream) error {
	c, _, err := s.credentials(r)
	if err != nil {
		return err
	}
	return stream.Renew(ctx, c)
}

// eventWriter writes server-sent events. The first error ends it.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  bytes.Buffer
	err     error
}

// event adds an event to what is written next.
func (o *eventWriter) event(e api.Event) {
	data, err := json.Marshal(e)
	if err != nil {
		o.err = err
		return
	}
	fmt.Fprintf(&o.buffer, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data)
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
