package tracker

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// Undone is the outcome of UndoChanges, by references.
type Undone struct {
	Restored []string
	Changed  []string // somebody has changed a value since, which stays
}

// undoable are the members whose former values are restored.
var undoable = []string{"status", "resolution", "duplicateOfId", "priority", "severity", "labels", "assigneeId", "spaceId"}

// workflowMembers depend on each other.
var workflowMembers = []string{"status", "resolution", "duplicateOfId"}

// requestDuration is the time after the begin of a request in which its events are looked for.
const requestDuration = time.Minute

// UndoChanges restores the former values of the slices that a request of the same session or key has changed. A value that was
// changed again since stays. Each slice is changed as by BatchUpdateSlices, under the ETag that it was read with.
func (t *Tracker) UndoChanges(ctx context.Context, c Caller, requestID string) (out Undone, err error) {
	if err := c.Allow(api.OpBatchUpdate); err != nil {
		return out, err
	}
	if !id.Valid(id.Request, requestID) {
		return out, api.NotFound("request")
	}
	q := t.store.Read(ctx)
	from := id.Time(requestID)
	events, err := q.EventsOfRequest(requestID, c.actor(), api.EventSliceUpdated,
		[2]string{id.Lowest(id.Event, from), id.Lowest(id.Event, from.Add(requestDuration))})
	if err != nil {
		return out, err
	}
	var items []api.BatchUpdateItem
	for _, e := range events {
		item, reference, complete, err := t.undoItem(q, c, e)
		if err != nil {
			return out, err
		}
		if !complete && reference != "" {
			out.Changed = append(out.Changed, reference)
		}
		if len(item.Patch) > 0 {
			items = append(items, item)
		}
	}
	for part := range slices.Chunk(items, batchSize) {
		if err := t.restoreValues(ctx, c, part, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// batchSize is the largest number of items of a batch.
const batchSize = 100

// undoItem returns the change that undoes an event, and the reference of the slice. complete is false when a value was changed
// again, or the slice is no longer there.
func (t *Tracker) undoItem(q store.Queries, c Caller, e store.Event) (
	item api.BatchUpdateItem, reference string, complete bool, err error,
) {
	var data struct {
		Slice    map[string]any `json:"slice"`
		Previous map[string]any `json:"previous"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return item, "", false, err
	}
	s, err := t.slice(q, c, e.SubjectID)
	if isRefusal(err) {
		return item, "", false, nil
	}
	if err != nil {
		return item, "", false, err
	}
	shown := t.show(s)
	current, err := jsonObject(shown)
	workflow := true // whether the members of the workflow are unchanged
	item, complete = api.BatchUpdateItem{ID: shown.Reference, IfMatch: api.ETag(shown.Version), Patch: api.Patch[api.SliceFields]{}}, true
	for name, former := range data.Previous {
		switch {
		case !slices.Contains(undoable, name) || reflect.DeepEqual(current[name], former):
		case reflect.DeepEqual(current[name], data.Slice[name]):
			item.Patch[name] = former
		default:
			complete, workflow = false, workflow && !slices.Contains(workflowMembers, name)
		}
	}
	for _, name := range workflowMembers {
		if !workflow {
			delete(item.Patch, name)
		}
	}
	if hasKey(item.Patch, "resolution") && !hasKey(item.Patch, "duplicateOfId") { // which a move would clear with the resolution duplicate
		item.Patch["duplicateOfId"] = current["duplicateOfId"]
	}
	return item, shown.Reference, complete, err
}

// restoreValues carries out a batch, and adds its results to the outcome. A slice that somebody has changed in between is one that was
// changed again.
func (t *Tracker) restoreValues(ctx context.Context, c Caller, items []api.BatchUpdateItem, out *Undone) error {
	v, err := input.Check(api.BatchUpdateSlices{Body: api.BatchUpdate{Items: items}})
	if err != nil {
		return err
	}
	results, err := t.BatchUpdateSlices(ctx, c, v)
	for _, r := range results.Results {
		switch {
		case r.Problem == nil:
			out.Restored = append(out.Restored, r.ID)
		case !slices.Contains(out.Changed, r.ID):
			out.Changed = append(out.Changed, r.ID)
		}
	}
	return err
}

// MemberNames returns the names of those of the users who are members of a workspace that the caller sees, by id.
func (t *Tracker) MemberNames(ctx context.Context, c Caller, workspaceID string, userIDs []string) (map[string]string, error) {
	if err := c.Allow(api.OpListMembers); err != nil {
		return nil, err
	}
	q := t.store.Read(ctx)
	if _, err := c.role(q, workspaceID); err != nil {
		return nil, err
	}
	found, err := q.FindMembers(workspaceID, userIDs)
	names := map[string]string{}
	for _, m := range found {
		names[m.UserID] = m.Name
	}
	return names, err
}
