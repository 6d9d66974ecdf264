package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"bugslice/api"
)

// silence is how long a stream may say nothing. The service sends a heartbeat every 5 seconds.
const silence = 30 * time.Second

// Follow yields the events of a workspace in their order, first those after the input's After, then each as it
// happens. When the connection is lost it connects again, and continues after the last event: none is lost and none
// comes twice. With After latest, this holds from the first event on.
//
// It ends with an error: that of the context, or an *api.Problem when the service refuses to continue. One with the
// code events_expired (410) says that events after the last one are deleted: read the records anew, and follow from
// latest.
func (c *Client) Follow(ctx context.Context, in api.ListEvents) iter.Seq2[api.Event, error] {
	return func(yield func(api.Event, error) bool) {
		r, err := newRequest(in)
		for failures := 0; err == nil; failures++ {
			s := stream{c: c, r: r, yield: yield}
			switch err = s.read(ctx); {
			case s.stopped:
				return
			case ctx.Err() != nil:
				err = ended(ctx)
			case isTransient(err):
				if s.events > 0 {
					failures = 0
				}
				err = sleep(ctx, max(backoff(failures+1), waitOf(err)))
			}
		}
		yield(api.Event{}, err)
	}
}

// isTransient reports whether a stream that ended with an error may be continued; nil is the end of one.
func isTransient(err error) bool {
	if p, ok := errors.AsType[*api.Problem](err); ok {
		return p.Status == http.StatusTooManyRequests || p.Status == http.StatusRequestTimeout || p.Status >= 500
	}
	_, lost := errors.AsType[lostError](err)
	return err == nil || lost && !isUntrusted(err)
}

func waitOf(err error) time.Duration {
	if p, ok := errors.AsType[*api.Problem](err); ok {
		return p.RetryAfter
	}
	return 0
}

// lostError says that there is no connection, or none any more.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

// stream is one connection of a follower.
type stream struct {
	c       *Client
	r       *request
	yield   func(api.Event, error) bool
	events  int  // that were yielded
	stopped bool // yield wants no more
}

// read yields the events of the stream up to its end. The next stream begins after the last one of them.
func (s *stream) read(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	s.r.accept = "text/event-stream"
	res, err := s.c.attempt(ctx, s.r)
	if _, refused := errors.AsType[*api.Problem](err); err != nil && !refused {
		return lostError{err}
	} else if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, int(s.c.o.MaxResponse))
	for !s.stopped {
		m, err := nextMessage(lines, func() { watchdog.Reset(silence) })
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, bufio.ErrTooLong):
			return ErrTooLarge
		case err != nil:
			return lostError{err}
		}
		if err := s.handle(m); err != nil {
			return err
		}
	}
	return nil
}

// handle yields the event of a message, or returns the problem with which the service ends a stream.
func (s *stream) handle(m message) error {
	if m.event == "problem" {
		p := &api.Problem{}
		if err := json.Unmarshal(m.data, p); err != nil {
			return err
		}
		return p
	}
	var e api.Event
	if err := json.Unmarshal(m.data, &e); err != nil {
		return err
	}
	s.events++
	s.r.wire.Query.Set("after", e.ID)
	s.r.wire.Header.Del("Last-Event-ID")
	s.stopped = !s.yield(e, nil)
	return nil
}

// message is a server-sent event.
type message struct {
	event string
	data  []byte
}

// nextMessage reads lines up to the end of a message; io.EOF is the end of the stream. It calls alive for each line,
// also for a heartbeat.
func nextMessage(lines *bufio.Scanner, alive func()) (m message, err error) {
	for lines.Scan() {
		alive()
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(lines.Bytes()) == 0 && m.data != nil:
			return m, nil
		case string(name) == "event":
			m.event = string(value)
		case string(name) == "data":
			m.data = append(m.data, value...)
		}
	}
	if err := lines.Err(); err != nil {
		return m, err
	}
	return m, io.EOF
}
