package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// Undone is the outcome of UndoChanges, by references.
type Undone struct {
	Restored []string
	Status   string        // to which the only restored one has returned; empty for several, and for another member
	Changed  []string      // somebody has changed a value since, which stays
	Refused  []RefusedUndo // nothing is restored
}

// RefusedUndo says why a slice is not restored.
type RefusedUndo struct {
	Reference string
	Problem   *api.Problem
}

// undoable are the members whose former values are restored.
var undoable = []string{"status", "resolution", "fixedInRelease", "duplicateOfId", "priority", "severity", "labels", "assigneeId",
	"spaceId"}

// requestDuration is the time after the begin of a request in which its events are looked for.
const requestDuration = time.Minute

// maxUndoAttempts is how often an undo is tried while others change the same slice.
const maxUndoAttempts = 3

// UndoChanges restores the former values of the slices that a request of the same session or key has changed, and the
// slices that it has deleted. A value that was changed again since stays. Each slice is changed as by
// BatchUpdateSlices, under the ETag that it was read with, or restored as by BatchRestoreSlices.
func (t *Tracker) UndoChanges(ctx context.Context, c access.Caller, requestID string) (out Undone, err error) {
	if err := c.Allow(api.OpBatchUpdate); err != nil {
		return out, err
	}
	if !id.Valid(id.Request, requestID) {
		return out, api.NotFound("request")
	}
	from := id.Time(requestID)
	events, err := t.access.Read(ctx).EventsOfRequest(requestID, c.Actor(),
		[]api.EventType{api.EventSliceUpdated, api.EventSliceDeleted},
		[2]string{id.Lowest(id.Event, from), id.Lowest(id.Event, from.Add(requestDuration))})
	if err != nil {
		return out, err
	}
	slices.Reverse(events) // a later change may depend on an earlier one
	var updates, deletions []store.Event
	for _, e := range events {
		if e.Type == api.EventSliceDeleted {
			deletions = append(deletions, e)
		} else {
			updates = append(updates, e)
		}
	}
	if err := t.undoDeletions(ctx, c, deletions, &out); err != nil {
		return out, err
	}
	for n := 1; len(updates) > 0; n++ {
		if updates, err = t.undoUpdates(ctx, c, updates, n == maxUndoAttempts, &out); err != nil {
			return out, err
		}
	}
	if len(out.Restored) != 1 {
		out.Status = ""
	}
	slices.Reverse(out.Restored) // in the order of the changes
	slices.Reverse(out.Changed)
	slices.Reverse(out.Refused)
	return out, nil
}

// undoUpdates restores what events have changed. It returns those whose slices were changed while they were read,
// unless this is the last attempt.
func (t *Tracker) undoUpdates(ctx context.Context, c access.Caller, events []store.Event, last bool, out *Undone) (
	stale []store.Event, err error,
) {
	var items []api.BatchUpdateItem
	var causes []store.Event // of the items
	for _, e := range events {
		item, complete, err := t.undoItem(t.access.Read(ctx), c, e)
		switch problem := (*api.Problem)(nil); {
		case errors.As(err, &problem):
			out.Refused = append(out.Refused, RefusedUndo{item.ID, problem})
			continue
		case err != nil:
			return nil, err
		case !complete:
			out.keep(item.ID)
		}
		if len(item.Patch) > 0 {
			items, causes = append(items, item), append(causes, e)
		}
	}
	for len(items) > 0 {
		n := min(len(items), batchSize)
		v, err := input.Check(api.BatchUpdateSlices{Body: api.BatchUpdate{Items: items[:n]}})
		if err != nil {
			return nil, err
		}
		results, err := t.BatchUpdateSlices(ctx, c, v)
		for i, r := range results.Results {
			switch {
			case r.Problem == nil:
				out.Restored = append(out.Restored, r.ID)
				out.Status, _ = items[i].Patch["status"].(string)
			case r.Problem.Code != api.CodePrecondition:
				out.Refused = append(out.Refused, RefusedUndo{r.ID, r.Problem})
			case last:
				out.keep(r.ID)
			default:
				stale = append(stale, causes[i])
			}
		}
		if err != nil {
			return nil, err
		}
		items, causes = items[n:], causes[n:]
	}
	return stale, nil
}

// keep adds a slice of which somebody has changed a value.
func (u *Undone) keep(reference string) {
	if !slices.Contains(u.Changed, reference) {
		u.Changed = append(u.Changed, reference)
	}
}

// batchSize is the largest number of items of a batch.
const batchSize = 100

// undoItem returns the change that undoes an event. complete is false when a value was changed again. After an error,
// the item has the reference of the slice.
func (t *Tracker) undoItem(q access.Queries, c access.Caller, e store.Event,
) (item api.BatchUpdateItem, complete bool, err error) {
	var data struct {
		Slice    map[string]any `json:"slice"`
		Previous map[string]any `json:"previous"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return item, false, err
	}
	item.ID, _ = data.Slice["reference"].(string)
	s, err := c.VisibleSlice(q, q.Slice, e.SubjectID)
	if err == nil && s.DeletedAt != nil {
		const detail = "The slice is deleted."
		err = api.NewProblem(api.CodeNotFound, detail, api.Fault{Code: "deleted", Detail: detail})
	}
	if err != nil {
		return item, false, err
	}
	shown := t.show(s)
	current, err := jsonObject(shown)
	workflow := true // whether the members of the workflow are unchanged
	item, complete = api.BatchUpdateItem{ID: shown.Reference, IfMatch: api.ETag(shown.Version),
		Patch: api.SlicePatch{}}, true
	for name, former := range data.Previous {
		switch {
		case !slices.Contains(undoable, name) || reflect.DeepEqual(current[name], former):
		case reflect.DeepEqual(current[name], data.Slice[name]):
			item.Patch[name] = former
		default:
			complete, workflow = false, workflow && !slices.Contains(workflowMembers, name)
		}
	}
	if !workflow {
		maps.DeleteFunc(item.Patch, func(name string, _ any) bool { return slices.Contains(workflowMembers, name) })
	}
	if hasKey(item.Patch, "resolution") &&
		!hasKey(item.Patch, "duplicateOfId") { // which a move would clear with the resolution duplicate
		item.Patch["duplicateOfId"] = current["duplicateOfId"]
	}
	return item, complete, err
}

// undoDeletions restores the slices that events have deleted, and that nobody has restored since.
func (t *Tracker) undoDeletions(ctx context.Context, c access.Caller, events []store.Event, out *Undone) error {
	var items []api.BatchRestoreItem
	for _, e := range events {
		d, err := t.deletionNow(t.access.Read(ctx), c, e)
		switch problem := (*api.Problem)(nil); {
		case errors.As(err, &problem):
			out.Refused = append(out.Refused, RefusedUndo{d.reference, problem})
		case err != nil:
			return err
		case d.isAgain:
			out.keep(d.reference)
		case d.isDeleted:
			items = append(items, api.BatchRestoreItem{ID: d.reference})
		}
	}
	for some := range slices.Chunk(items, batchSize) {
		if err := t.restoreSome(ctx, c, some, out); err != nil {
			return err
		}
	}
	return nil
}

// deletion is what a slice that was deleted by an event is now.
type deletion struct {
	reference string
	isDeleted bool
	isAgain   bool // somebody has restored it, and somebody has deleted it again
}

// deletionNow returns what the slice of an event is now. After an error, the deletion has its reference.
func (t *Tracker) deletionNow(q access.Queries, c access.Caller, e store.Event) (d deletion, err error) {
	var data struct {
		Slice struct {
			Reference string   `json:"reference"`
			UpdatedAt api.Time `json:"updatedAt"` // when the event deleted it
		} `json:"slice"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return d, err
	}
	s, err := c.VisibleSlice(q, q.Slice, e.SubjectID)
	if err != nil {
		return deletion{reference: data.Slice.Reference}, err
	}
	d = deletion{reference: t.show(s).Reference, isDeleted: s.DeletedAt != nil}
	d.isAgain = d.isDeleted && s.DeletedAt.After(data.Slice.UpdatedAt.Time)
	return d, nil
}

// restoreSome restores at most a batch of slices, and adds what became of them.
func (t *Tracker) restoreSome(ctx context.Context, c access.Caller, items []api.BatchRestoreItem, out *Undone) error {
	v, err := input.Check(api.BatchRestoreSlices{Body: api.BatchRestore{Items: items}})
	if err != nil {
		return err
	}
	results, err := t.BatchRestoreSlices(ctx, c, v)
	for _, r := range results.Results {
		if r.Problem == nil {
			out.Restored = append(out.Restored, r.ID)
		} else {
			out.Refused = append(out.Refused, RefusedUndo{r.ID, r.Problem})
		}
	}
	return err
}
