package tracker

import (
	"bugslice/api"
	"bugslice/internal/input"
	"context"
)

// ListActivity lists what was done with a slice the caller sees, oldest first.
func (t *Tracker) ListActivity(ctx context.Context, c Caller, v input.Valid[api.ListActivity]) (api.Page[api.Activity], error) {
	var none api.Page[api.Activity]
	in, err := v.Value(c.Allow(api.OpListActivity))
	if err != nil {
		return none, err
	}
	slot, err := t.computePage(ctx, c, api.OpListActivity, in.Limit)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	bind := binding(api.OpListActivity, c, in.SliceID)
	at, err := t.position(in.Paging, bind, 1)
	if err != nil {
		return none, err
	}
	q := t.store.Read(ctx)
	if _, err := t.slice(q, c, in.SliceID); err != nil {
		return none, err
	}
	rows, err := q.EventsAbout(in.SliceID, api.ActivityTypes(), at[0], in.Limit+1)
	if err != nil {
		return none, err
	}
	var ids []string
	for _, r := range rows {
		if r.Actor.ID != nil {
			ids = append(ids, *r.Actor.ID)
		}
	}
	names, err := q.Named(ids)
	if err != nil {
		return none, err
	}
	shown := make([]api.Activity, len(rows))
	for i, r := range rows {
		if shown[i], err = t.showActivity(r, names); err != nil {
			return none, err
		}
	}
	return page(t, shown, in.Limit, bind, func(a api.Activity) []string { return []string{a.ID} }), nil
}
