package tracker

import (
	"context"
	"errors"
	"strconv"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListEvents lists what happened in a workspace, oldest first, in commit order. Each caller
// sees the events whose subject it may read.
func (t *Tracker) ListEvents(ctx context.Context, c Caller, v input.Valid[api.ListEvents]) (api.Page[api.Event], error) {
	var none api.Page[api.Event]
	in, err := v.Value(c.Allow(api.OpListEvents))
	if err != nil {
		return none, err
	}
	slot, err := t.acquirePageSlot(ctx, c, api.OpListEvents, in.Limit)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	if err := c.defaultWorkspace(&in); err != nil {
		return none, err
	}
	l := listing[api.Event]{operation: api.OpListEvents, parameters: in, paging: in.Paging}
	return listByID(t, c, l, sequenceOf, func(cursor string, _ int) ([]api.Event, error) {
		q := t.store.Read(ctx)
		f, err := t.eventFilter(q, c, in)
		if err != nil {
			return nil, err
		}
		if f.After, err = t.startSequence(q, in, cursor); err != nil {
			return nil, err
		}
		return events(q, f)
	})
}

func sequenceOf(e api.Event) string { return strconv.FormatInt(e.Sequence, 10) }

// eventFilter says which events a caller reads now.
func (t *Tracker) eventFilter(q store.Queries, c Caller, in api.ListEvents) (store.EventFilter, error) {
	role, err := c.role(q, in.WorkspaceID)
	return store.EventFilter{WorkspaceID: in.WorkspaceID, Types: c.readableEvents(in.Type, role), Limit: in.Limit + 1}, err
}

func events(q store.Queries, f store.EventFilter) ([]api.Event, error) {
	if len(f.Types) == 0 {
		return nil, nil
	}
	rows, err := q.Events(f)
	if err != nil {
		return nil, err
	}
	shown := make([]api.Event, len(rows))
	for i, row := range rows {
		if shown[i], err = showEvent(row); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// startSequence returns the sequence a page begins behind: the cursor's, or that of the event named
// by after, which must still be kept.
func (t *Tracker) startSequence(q store.Queries, in api.ListEvents, cursor string) (int64, error) {
	since := api.At(t.now().Add(-t.eventRetention))
	switch {
	case cursor != "":
		return strconv.ParseInt(cursor, 10, 64)
	case in.After == "":
		return q.SequenceBefore(in.WorkspaceID, since)
	case in.After == api.Latest:
		return q.LastSequence(in.WorkspaceID)
	}
	e, err := q.Event(in.WorkspaceID, in.After)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Sequence == nil {
		return 0, api.InvalidParameter("after", "unknown", "there is no such event in this workspace")
	}
	if err != nil {
		return 0, err
	}
	if e.CreatedAt.Before(since.Time) {
		days := strconv.Itoa(int(t.eventRetention.Hours() / 24))
		return 0, api.Refuse(api.CodeEventsGone,
			"That event is older than the "+days+" days that are kept. Read the slices anew, and then go on with after=latest.")
	}
	return *e.Sequence, nil
}
