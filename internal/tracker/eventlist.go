package tracker

import (
	"context"
	"errors"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListEvents lists the events of a workspace whose subject the caller may read, oldest first, in the order of commits.
func (t *Tracker) ListEvents(ctx context.Context, c access.Caller, v input.Valid[api.ListEvents],
) (api.Page[api.Event], error) {
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
	if err := c.DefaultWorkspace(&in); err != nil {
		return none, err
	}
	l := listing[api.Event]{operation: api.OpListEvents, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(sequenceOf, func(cursor string, _ int) ([]api.Event, error) {
		q := t.access.Read(ctx)
		f, err := t.eventFilter(q, c, in)
		if err != nil {
			return nil, err
		}
		if f.After, err = t.startSequence(q, in, cursor); err != nil {
			return nil, err
		}
		return readEvents(q, f)
	}))
}

func sequenceOf(e api.Event) string { return strconv.FormatInt(e.Sequence, 10) }

// eventFilter returns the filter for the requested events that the caller may read.
func (t *Tracker) eventFilter(q access.Queries, c access.Caller, in api.ListEvents) (store.EventFilter, error) {
	role, err := c.RoleIn(q, in.WorkspaceID)
	return store.EventFilter{WorkspaceID: in.WorkspaceID, Types: c.ReadableEvents(in.Type, role), Limit: in.Limit + 1},
		err
}

// readEvents returns the events that match a filter, as the API shows them.
func readEvents(q access.Queries, f store.EventFilter) ([]api.Event, error) {
	if len(f.Types) == 0 { // the caller may read none of the requested types
		return nil, nil
	}
	rows, err := q.Events(f)
	if err != nil {
		return nil, err
	}
	shown := make([]api.Event, len(rows))
	for i, row := range rows {
		if shown[i], err = showEventOf(q, row); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// startSequence returns the sequence after which a page begins: that of the cursor, or that of the event which the
// parameter after names. It refuses an event that is older than the retention.
func (t *Tracker) startSequence(q access.Queries, in api.ListEvents, cursor string) (int64, error) {
	oldest := api.At(t.now().Add(-t.eventRetention))
	switch {
	case cursor != "":
		return strconv.ParseInt(cursor, 10, 64)
	case in.After == "":
		return q.SequenceBefore(in.WorkspaceID, oldest)
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
	if e.CreatedAt.Before(oldest.Time) {
		days := strconv.Itoa(int(t.eventRetention.Hours() / 24))
		return 0, api.NewProblem(api.CodeEventsGone,
			"The event is older than "+days+
				" days, the retention of events. Read the slices again, and continue with after=latest.")
	}
	return *e.Sequence, nil
}
