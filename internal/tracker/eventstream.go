package tracker

import (
	"context"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

const (
	pollInterval    = 400 * time.Millisecond
	minPollInterval = 10 * time.Millisecond
)

// pollSequences reads the last sequences of the streams' workspaces until ctx ends: immediately after a commit of this
// node, and every pollInterval for the commits of other nodes.
func (t *Tracker) pollSequences(ctx context.Context) {
	for ctx.Err() == nil {
		published := t.access.Commits()
		for chunk := range slices.Chunk(t.broadcaster.workspaceIDs(), 500) {
			last, err := t.access.Read(ctx).LastSequences(chunk)
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

// EventStream returns the events of a workspace as they are recorded.
type EventStream struct {
	t            *Tracker
	c            access.Caller
	in           api.ListEvents
	subscription *subscription
	filter       store.EventFilter

	checkedAt time.Time // when the rights were last read
}

// The number of events that a stream reads at once. Each batch has at most twice as many as were sent from the batch
// before, because the events that a slow client has not read stay in memory.
const (
	firstBatch = 8
	maxBatch   = 100
)

// StreamEvents opens a stream that begins where ListEvents with the same input begins, or after the event of
// Last-Event-ID. The caller of StreamEvents closes it. Opening it and reading from it need a slot of the organisation,
// so that many streams that read old events do not use every core.
func (t *Tracker) StreamEvents(ctx context.Context, c access.Caller, v input.Valid[api.ListEvents],
) (*EventStream, error) {
	in, err := v.Value(c.Allow(api.OpListEvents))
	if err != nil {
		return nil, err
	}
	if in.LastEventID != "" {
		in.After = in.LastEventID
	}
	if err := c.DefaultWorkspace(&in); err != nil {
		return nil, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpListEvents)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	s := &EventStream{t: t, c: c, in: in, filter: store.EventFilter{Limit: firstBatch}}
	if err := s.Recheck(ctx); err != nil {
		return nil, err
	}
	if s.filter.After, err = t.startSequence(t.access.Read(ctx), in, ""); err != nil {
		return nil, err
	}
	s.subscription = t.broadcaster.subscribe(in.WorkspaceID)
	return s, nil
}

// Recheck reads the caller's rights again and updates the filter. It returns an error when the caller may not read the
// workspace any more.
func (s *EventStream) Recheck(ctx context.Context) error {
	s.checkedAt = time.Now()
	c, err := s.t.Reauthorize(ctx, s.c, api.OpListEvents)
	if err != nil {
		return err
	}
	f, err := s.t.eventFilter(s.t.access.Read(ctx), c, s.in)
	s.filter.WorkspaceID, s.filter.Types = f.WorkspaceID, f.Types
	return err
}

// Next waits for the next events and sends them, in order, to emit; none when ctx ends first. emit reports whether it
// accepts another event. It runs while the stream holds a slot, so it must not write to a client. The rights are read
// again before each batch, so that no event is sent that the caller may not read any more.
func (s *EventStream) Next(ctx context.Context, emit func(api.Event) bool) error {
	for ctx.Err() == nil {
		last, wake := s.t.broadcaster.position(s.subscription)
		sent, err := s.sendBatch(ctx, emit)
		switch {
		case ctx.Err() != nil:
			return nil
		case sent || err != nil:
			return err
		}
		s.filter.After = max(s.filter.After, last) // no event up to last matches the filter
		select {
		case <-wake:
		case <-ctx.Done():
		}
	}
	return nil
}

// sendBatch sends the next events that are recorded, and reports whether there were any.
func (s *EventStream) sendBatch(ctx context.Context, emit func(api.Event) bool) (sent bool, err error) {
	slot, err := s.t.slots.Acquire(ctx, s.c.Organization.ID)
	if err != nil {
		return false, err
	}
	defer slot.Release()
	batch, err := readEvents(s.t.access.Read(ctx), s.filter)
	if err == nil {
		err = ctx.Err() // an interrupted read may be incomplete
	}
	if err != nil || len(batch) == 0 {
		return false, err
	}
	if err := s.Recheck(ctx); err != nil {
		return false, err
	}
	n := 0
	for more := true; more && n < len(batch); n++ {
		if slices.Contains(s.filter.Types, batch[n].Type) { // Recheck may have removed the type
			more = emit(batch[n])
		}
	}
	s.filter.After = batch[n-1].Sequence
	s.filter.Limit = min(2*n, maxBatch)
	return true, nil
}

// Allows reports whether an event that was sent to emit may still be written to the client, which may have been slow to
// read the events before it.
func (s *EventStream) Allows(ctx context.Context, kind api.EventType) (bool, error) {
	if time.Since(s.checkedAt) >= access.RecheckEvery {
		if err := s.Recheck(ctx); err != nil {
			return false, err
		}
	}
	return slices.Contains(s.filter.Types, kind), nil
}

// Close ends the stream.
func (s *EventStream) Close() { s.t.broadcaster.unsubscribe(s.in.WorkspaceID) }
