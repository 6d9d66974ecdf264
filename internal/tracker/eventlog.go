package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// eventsKept is how far back the log of a workspace is read. The rows stay: they are the audit log.
const eventsKept = 30 * 24 * time.Hour

// ListEvents lists what happened in a workspace, oldest first, in commit order. Each caller
// sees the events whose subject it may read.
func (t *Tracker) ListEvents(ctx context.Context, c Caller, in api.ListEvents) (api.Page[api.Event], error) {
	var none api.Page[api.Event]
	if err := c.Allow(api.OpListEvents); err != nil {
		return none, err
	}
	if in.WorkspaceID == "" {
		if c.Type != ServiceCaller {
			return none, api.InvalidParameter("workspaceId", "required", "workspaceId is required: a personal access token reaches several workspaces")
		}
		in.WorkspaceID = *c.Key.WorkspaceID
	}
	filters := in
	filters.Paging = api.Paging{}
	bind := binding(api.OpListEvents, c, filters)
	at, err := t.position(in.Paging, bind, 1)
	if err != nil {
		return none, err
	}
	tx := t.store.Read(ctx)
	role, err := c.role(tx, in.WorkspaceID)
	if err != nil {
		return none, err
	}
	f := store.EventFilter{WorkspaceID: in.WorkspaceID, Types: c.readable(in.Type, role), Since: api.At(t.now().Add(-eventsKept)), Limit: in.Limit + 1}
	if f.After, err = t.behind(tx, in, at[0], f.Since); err != nil || len(f.Types) == 0 {
		return page(t, []api.Event(nil), in.Limit, bind, nil), err
	}
	rows, err := tx.Events(f)
	if err != nil {
		return none, err
	}
	shown := make([]api.Event, len(rows))
	for i, row := range rows {
		if shown[i], err = showEvent(row); err != nil {
			return none, err
		}
	}
	return page(t, shown, in.Limit, bind, func(e api.Event) []string { return []string{strconv.FormatInt(e.Sequence, 10)} }), nil
}

// readable returns the types, of those asked for or of all, whose subject the caller may read.
func (c Caller) readable(asked []api.EventType, role api.Role) []api.EventType {
	var types []api.EventType
	for kind, scope := range api.EventTypes {
		switch {
		case len(asked) > 0 && !slices.Contains(asked, kind):
		case !slices.Contains(c.Key.Scopes, scope):
		case scope == api.KeysManage && role != api.RoleAdmin: // only admins see a workspace's keys
		default:
			types = append(types, kind)
		}
	}
	slices.Sort(types)
	return types
}

// behind returns the sequence a page begins behind: the cursor's, or that of the event named
// by after, which must still be kept.
func (t *Tracker) behind(tx *store.Tx, in api.ListEvents, cursor string, since api.Time) (int64, error) {
	if cursor != "" {
		return strconv.ParseInt(cursor, 10, 64)
	}
	if in.After == "" {
		return 0, nil
	}
	e, err := tx.Event(in.WorkspaceID, in.After)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Sequence == nil {
		return 0, api.InvalidParameter("after", "unknown", "there is no such event in this workspace")
	}
	if err != nil {
		return 0, err
	}
	if e.CreatedAt.Before(since.Time) {
		return 0, api.Refuse(api.CodeEventsGone, "That event is older than the 30 days that are kept. Read the slices anew, and then go on without after.")
	}
	return *e.Sequence, nil
}

func showEvent(row store.Event) (api.Event, error) {
	e := api.Event{ID: row.ID, Type: api.EventType(row.Type), Timestamp: row.CreatedAt, Sequence: *row.Sequence, WorkspaceID: *row.WorkspaceID,
		Actor: api.Actor{Type: row.Actor.Type, ID: row.Actor.ID, KeyID: row.Actor.KeyID}}
	return e, json.Unmarshal(row.Data, &e.Data)
}
