package tracker

import (
	"context"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

const (
	pollInterval    = 400 * time.Millisecond
	minPollInterval = 10 * time.Millisecond // at least, between two looks
)

// pollSequences looks for growth until ctx ends.
func (t *Tracker) pollSequences(ctx context.Context) {
	for ctx.Err() == nil {
		published := t.store.Commits()
		for chunk := range slices.Chunk(t.broadcaster.workspaceIDs(), 500) {
			last, err := t.store.Read(ctx).LastSequences(chunk)
			if err == nil {
				t.broadcaster.advance(last)
			}
		}
		select {
		case <-published:
		case <-time.After(pollInterval):
		case <-ctx.Done():
		}
		select {
		case <-time.After(minPollInterval):
		case <-ctx.Done():
		}
	}
}

// EventStream follows the log of a workspace.
type EventStream struct {
	t            *Tracker
	c            Caller
	in           api.ListEvents
	subscription *subscription
	filter       store.EventFilter

	checkedAt time.Time // when rights were read last
}

// A stream reads at most twice as many events at once as its writer had room for the last time: a slow
// client keeps in memory what was read for it.
const (
	firstBatch  = 8
	streamBatch = 100
)

// StreamEvents begins to follow a workspace's log where ListEvents with the same input would
// begin, or after the event that Last-Event-ID names. The caller closes the stream. Opening it and
// reading from it are work that waits for the organisation's share of the processor: many streams
// that begin far back take turns.
func (t *Tracker) StreamEvents(ctx context.Context, c Caller, v input.Valid[api.ListEvents]) (*EventStream, error) {
	in, err := v.Value(c.Allow(api.OpListEvents))
	if err != nil {
		return nil, err
	}
	if in.LastEventID != "" {
		in.After = in.LastEventID
	}
	if err := c.defaultWorkspace(&in); err != nil {
		return nil, err
	}
	slot, err := t.acquireSlot(ctx, c, api.OpListEvents)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	in.Limit = firstBatch
	s := &EventStream{t: t, c: c, in: in}
	if err := s.Recheck(ctx); err != nil {
		return nil, err
	}
	if s.filter.After, err = t.startSequence(t.store.Read(ctx), in, ""); err != nil {
		return nil, err
	}
	s.subscription = t.broadcaster.subscribe(in.WorkspaceID)
	return s, nil
}

// Recheck reads the caller's rights again: which events it may see, or that it may see none any more.
func (s *EventStream) Recheck(ctx context.Context) error {
	s.checkedAt = time.Now()
	c, err := s.t.Reauthorize(ctx, s.c, api.OpListEvents)
	if err != nil {
		return err
	}
	f, err := s.t.eventFilter(s.t.store.Read(ctx), c, s.in)
	f.After = s.filter.After
	s.filter = f
	return err
}

// Next waits for the next events and shows them, in order; none when ctx ends first. Rights are read
// again before each batch, so that no event is shown that the caller may not read any more. What show
// does is part of the stream's work: it writes to no client. It
// says whether there is room for another event.
func (s *EventStream) Next(ctx context.Context, show func(api.Event) bool) error {
	for ctx.Err() == nil {
		last, wake := s.t.broadcaster.position(s.subscription)
		some, err := s.sendBatch(ctx, show)
		switch {
		case ctx.Err() != nil:
			return nil
		case some || err != nil:
			return err
		}
		s.filter.After = max(s.filter.After, last) // what is before it is none of the stream's
		select {
		case <-wake:
		case <-ctx.Done():
		}
	}
	return nil
}

// sendBatch shows the events that are there, and says whether there were any.
func (s *EventStream) sendBatch(ctx context.Context, show func(api.Event) bool) (some bool, err error) {
	slot, err := s.t.shares.Acquire(ctx, s.c.Organization.ID)
	if err != nil {
		return false, err
	}
	defer slot.Release()
	more, err := events(s.t.store.Read(ctx), s.filter)
	if err == nil {
		err = ctx.Err() // what was read may not be all
	}
	if err != nil || len(more) == 0 {
		return false, err
	}
	if err := s.Recheck(ctx); err != nil {
		return false, err
	}
	shown := 0
	for room := true; room && shown < len(more); shown++ {
		if e := more[shown]; slices.Contains(s.filter.Types, e.Type) { // the right to it was not lost since
			room = show(e)
		}
	}
	s.filter.After = more[shown-1].Sequence
	s.in.Limit = min(2*shown, streamBatch)
	s.filter.Limit = s.in.Limit
	return true, nil
}

// Allows says whether an event that was shown may still be written: the client may have taken its time over
// those before it.
func (s *EventStream) Allows(ctx context.Context, of api.EventType) (bool, error) {
	if time.Since(s.checkedAt) >= recheckEvery {
		if err := s.Recheck(ctx); err != nil {
			return false, err
		}
	}
	return slices.Contains(s.filter.Types, of), nil
}

// Close ends the stream.
func (s *EventStream) Close() { s.t.broadcaster.unsubscribe(s.in.WorkspaceID) }
