package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListActivity lists the changes of a slice the caller sees, oldest first.
func (t *Tracker) ListActivity(ctx context.Context, c access.Caller, v input.Valid[api.ListActivity],
) (api.Page[api.Activity], error) {
	var none api.Page[api.Activity]
	in, err := v.Value(c.Allow(api.OpListActivity))
	if err != nil {
		return none, err
	}
	slot, err := t.acquirePageSlot(ctx, c, api.OpListActivity, in.Limit)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	l := listing[api.Activity]{operation: api.OpListActivity, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(a api.Activity) string { return a.ID },
		func(afterID string, limit int) ([]api.Activity, error) {
			q := t.access.Read(ctx)
			s, err := c.Slice(q, in.SliceID)
			if err != nil {
				return nil, err
			}
			rows, err := q.EventsAbout(s.ID, api.ActivityTypes(), afterID, limit)
			if err != nil {
				return nil, err
			}
			return t.showActivities(q, rows)
		}))
}

// showActivities returns events as activities, with the names of their actors.
func (t *Tracker) showActivities(q access.Queries, rows []store.Event) ([]api.Activity, error) {
	var actorIDs []string
	for _, r := range rows {
		if r.Actor.ID != nil {
			actorIDs = append(actorIDs, *r.Actor.ID)
		}
		if r.Actor.KeyID != nil {
			actorIDs = append(actorIDs, *r.Actor.KeyID)
		}
	}
	names, err := q.NamesOf(actorIDs)
	if err != nil {
		return nil, err
	}
	shown := make([]api.Activity, len(rows))
	for i, r := range rows {
		if shown[i], err = t.showActivity(r, names); err != nil {
			return nil, err
		}
	}
	return shown, nil
}
