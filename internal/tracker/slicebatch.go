package tracker

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// BatchUpdateSlices changes slices, each by its own merge patch.
func (t *Tracker) BatchUpdateSlices(ctx context.Context, c access.Caller, v input.Valid[api.BatchUpdateSlices],
) (api.BatchResults, error) {
	in, err := v.Value(c.Allow(api.OpBatchUpdate))
	if err != nil {
		return api.BatchResults{}, err
	}
	b := batch{operation: api.OpBatchUpdate, single: api.OpUpdateSlice, request: in,
		ids:         convert(in.Body.Items, func(i api.BatchUpdateItem) string { return i.ID }),
		identifiers: func(n int) ([]string, bool) { return t.identifiersOf(in.Body.Items[n].Patch) }}
	known := map[string]store.Workspace{} // in which the caller sees a slice
	return t.runBatch(ctx, c, b, func(n int, key request, workspaceID string) (access.InTransaction[itemResult],
		error) {
		item := in.Body.Items[n]
		labels := labelChange{add: item.AddLabels, remove: item.RemoveLabels}
		patch, err := labels.patchOf(item)
		if err != nil {
			return nil, err
		}
		v, err := input.Check(api.UpdateSlice{SliceID: item.ID, IfMatch: item.IfMatch, Patch: patch})
		if err != nil {
			return nil, t.withReferenceFaults(ctx, c, item.ID, patch, err)
		}
		update, err := t.prepareUpdate(c, v, sliceItem{key: key, baseVersion: item.BaseVersion, labels: labels},
			func(sliceID string) (redactor, error) {
				if w, ok := known[workspaceID]; ok && !hasText(patch) {
					return t.redactorOf(ctx, c, w)
				}
				s, w, err := t.sliceAndWorkspace(ctx, c, sliceID)
				if err != nil {
					return redactor{}, err
				}
				known[workspaceID] = w
				r, err := t.redactorOf(ctx, c, w)
				return r.knowing(s), err
			})
		return resultOf(update), err
	})
}

// hasText reports whether a patch has a member in which a value may stand that was removed from the slice before.
func hasText(patch map[string]any) bool {
	for _, member := range []string{"summary", "description", "environment", "fixedInRelease", "sourceUrl", "metadata"} {
		if hasKey(patch, member) {
			return true
		}
	}
	return false
}

// BatchDeleteSlices deletes slices.
func (t *Tracker) BatchDeleteSlices(ctx context.Context, c access.Caller, v input.Valid[api.BatchDeleteSlices],
) (api.BatchResults, error) {
	in, err := v.Value(c.Allow(api.OpBatchDelete))
	if err != nil {
		return api.BatchResults{}, err
	}
	b := batch{operation: api.OpBatchDelete, single: api.OpDeleteSlice, request: in,
		ids:         convert(in.Body.Items, func(i api.BatchDeleteItem) string { return i.ID }),
		identifiers: noIdentifiers}
	return t.runBatch(ctx, c, b, func(n int, key request, _ string) (access.InTransaction[itemResult], error) {
		v, err := input.Check(api.DeleteSlice{SliceID: in.Body.Items[n].ID, IfMatch: in.Body.Items[n].IfMatch})
		if err != nil {
			return nil, err
		}
		deletion, err := t.prepareDeletion(c, v, key)
		return func(tx *access.Tx, c access.Caller) (itemResult, error) {
			return itemResult{changed: true}, errorOf(deletion(tx, c))
		}, err
	})
}

// BatchRestoreSlices restores deleted slices.
func (t *Tracker) BatchRestoreSlices(ctx context.Context, c access.Caller, v input.Valid[api.BatchRestoreSlices],
) (api.BatchResults, error) {
	in, err := v.Value(c.Allow(api.OpBatchRestore))
	if err != nil {
		return api.BatchResults{}, err
	}
	b := batch{operation: api.OpBatchRestore, single: api.OpRestoreSlice, request: in,
		ids:         convert(in.Body.Items, func(i api.BatchRestoreItem) string { return i.ID }),
		identifiers: ownIdentifiers}
	return t.runBatch(ctx, c, b, func(n int, key request, _ string) (access.InTransaction[itemResult], error) {
		v, err := input.Check(api.RestoreSlice{SliceID: in.Body.Items[n].ID})
		if err != nil {
			return nil, err
		}
		restoration, err := t.prepareRestoration(c, v, key)
		return resultOf(restoration), err
	})
}

// itemResult is the slice after an item, nil after a deletion, with whether the item has changed it.
type itemResult struct {
	slice   *api.Slice
	changed bool
}

// resultOf returns fn with the result of an item.
func resultOf(fn access.InTransaction[changedSlice]) access.InTransaction[itemResult] {
	return func(tx *access.Tx, c access.Caller) (itemResult, error) {
		out, err := fn(tx, c)
		return itemResult{&out.Slice, out.Changed}, err
	}
}

// batch is a request for several slices.
type batch struct {
	operation string
	single    string // the operation for one slice
	request   request
	ids       []string // of the slices, or their references

	// identifiers returns further identifiers that the slice of an item gets. ok is whether the slice may get any
	// identifier: when it opens, it gets its own ones again.
	identifiers func(n int) (further []string, ok bool)
}

// noIdentifiers is batch.identifiers for an operation that gives no slice an identifier.
func noIdentifiers(int) (further []string, ok bool) { return nil, false }

// ownIdentifiers is batch.identifiers for an operation that gives slices none but their own ones again.
func ownIdentifiers(int) (further []string, ok bool) { return nil, true }

// runBatch carries out the items of a batch in order, and returns a result for each. Before the first item, it
// refuses a caller who has lost the right, a batch that names a slice twice, and one whose Idempotency-Key was used
// for another request. Consecutive items of a workspace share a transaction.
func (t *Tracker) runBatch(ctx context.Context, c access.Caller, b batch,
	prepare func(n int, key request, workspaceID string) (access.InTransaction[itemResult], error),
) (out api.BatchResults, err error) {
	if c, err = t.access.Reauthorize(ctx, c, b.operation); err != nil {
		return out, err
	}
	ids, err := checkDistinct(t.access.Read(ctx), c, b.ids)
	if err != nil {
		return out, err
	}
	first, err := t.access.Read(ctx).WorkspacesOfSlices(ids[:1])
	if err != nil {
		return out, err
	}
	if err := t.reserveBatch(ctx, c, b); err != nil {
		return out, err
	}
	run := func(from, to int, workspaceID, expected string) error {
		items, identifiers := make([]batchItem, to-from), map[string][]string{}
		for i := range items {
			items[i].id = ids[from+i]
			if further, ok := b.identifiers(from + i); ok {
				identifiers[items[i].id] = further
			}
			items[i].run, items[i].err = prepare(from+i, b.itemRequest(from+i), workspaceID)
		}
		items, err := t.runGroup(ctx, c, group{operation: b.single, items: items, workspace: expected,
			identifiers: identifiers})
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
		for i, item := range items {
			r := api.BatchResult{ID: b.ids[from+i], Slice: item.slice, Changed: item.changed}
			out.Results = append(out.Results, t.batchResult(ctx, c, b, r, item.err))
		}
		return nil
	}
	if expected := first[ids[0]]; expected != "" { // most batches are of one workspace
		if err := run(0, len(ids), expected, expected); !errors.Is(err, errSeveralWorkspaces) {
			return out, err
		}
	}
	workspaces, err := t.access.Read(ctx).WorkspacesOfSlices(ids)
	for from, to := 0, 0; err == nil && from < len(ids); from = to {
		for to = from + 1; to < len(ids) && workspaces[ids[to]] == workspaces[ids[from]]; to++ {
		}
		err = run(from, to, workspaces[ids[from]], "")
	}
	return out, err
}

// batchItem is an item of a batch, and its result.
type batchItem struct {
	id  string // of the slice, in as far as the caller sees it
	run access.InTransaction[itemResult]
	itemResult
	err error // no transaction runs an item that has one already
}

// group are items of a batch that share a transaction.
type group struct {
	operation string // for one slice
	items     []batchItem
	workspace string // of all slices, or empty for any

	identifiers map[string][]string // that slices get, by the ids of the slices
}

// runGroup runs the items of a group, and returns them with their results. An item that fails leaves nothing behind;
// when the transaction fails, each item has its error. It runs none and returns errSeveralWorkspaces when a slice is
// not of the workspace.
func (t *Tracker) runGroup(ctx context.Context, c access.Caller, g group) ([]batchItem, error) {
	done, err := t.runItems(ctx, c, g, batchItem.attempt)
	if errors.Is(err, errSavepoints) {
		done, err = t.runItems(ctx, c, g, batchItem.runInSavepoint)
	}
	if err == nil || errors.Is(err, errSeveralWorkspaces) {
		return done, err
	}
	for i := range g.items {
		g.items[i].err = cmp.Or(g.items[i].err, err)
	}
	return g.items, nil
}

var errSeveralWorkspaces = errors.New("the slices of the batch are not of one workspace")

// errSavepoints ends a transaction in which an item has failed after it wrote: each item needs a savepoint.
var errSavepoints = errors.New("an item of the batch has written before it failed")

// runItems runs the items of a group in one transaction, each by run, and returns them with their results.
func (t *Tracker) runItems(ctx context.Context, c access.Caller, g group,
	run func(i batchItem, tx *access.Tx, c access.Caller) (itemResult, error, error),
) ([]batchItem, error) {
	return access.Write(ctx, t.access, c, g.operation, func(tx *access.Tx, c access.Caller) ([]batchItem, error) {
		if err := tx.LockIdentifiers(g.identifiers); err != nil {
			return nil, err
		}
		workspaces, err := tx.LockSlices(convert(g.items,
			func(i batchItem) string { return i.id })) // before the workspace
		if err != nil {
			return nil, err
		}
		if g.workspace != "" && !maps.Equal(workspaces, map[string]int{g.workspace: len(g.items)}) {
			return nil, errSeveralWorkspaces
		}
		done := slices.Clone(g.items)
		for i := range done {
			if done[i].err != nil {
				continue
			}
			var err error
			done[i].itemResult, done[i].err, err = run(done[i], tx, c)
			if errors.Is(done[i].err, store.ErrConflict) || errors.Is(done[i].err, store.ErrUnavailable) {
				err = done[i].err
			}
			if err != nil {
				return nil, err
			}
		}
		return done, nil
	})
}

// attempt runs an item without a savepoint, which would take a statement before and after it. An item that fails
// before it writes changes nothing; an item that fails later ends the transaction with errSavepoints.
func (i batchItem) attempt(tx *access.Tx, c access.Caller) (out itemResult, failed, err error) {
	wrote, failed := tx.Attempt(func(tx *access.Tx) (err error) {
		out, err = i.run(tx, c)
		return err
	})
	var problem *api.Problem
	if failed != nil && (wrote || !errors.As(failed,
		&problem)) { // a statement that fails ends a transaction of PostgreSQL
		err = errSavepoints
	}
	return out, failed, err
}

// runInSavepoint runs an item in a savepoint. After err the transaction is lost.
func (i batchItem) runInSavepoint(tx *access.Tx, c access.Caller) (out itemResult, failed, err error) {
	failed, err = tx.Savepoint(func(tx *access.Tx) (err error) {
		out, err = i.run(tx, c)
		return err
	})
	return out, failed, err
}

// checkDistinct returns the ids of slices that are named by ids or references. The id of an invisible slice is its
// reference. It refuses two names of the same slice.
func checkDistinct(q access.Queries, c access.Caller, names []string) (sliceIDs []string, err error) {
	ids, err := c.SliceIDs(q, names)
	if err != nil {
		return nil, err
	}
	first := map[string]int{}
	var faults []api.Fault
	for n, name := range names {
		sliceID := name
		if _, _, ok := api.ParseReference(name); ok {
			sliceID = cmp.Or(ids[name], strings.ToUpper(name)) // a reference of no slice may be repeated, too
		}
		if earlier, ok := first[sliceID]; ok {
			faults = append(faults, api.Fault{Pointer: "/items/" + strconv.Itoa(n) + "/id", Code: "repeated",
				Detail: "is the slice of item " + strconv.Itoa(earlier) + "; a slice can be in a batch once"})
			continue
		}
		first[sliceID] = n
		sliceIDs = append(sliceIDs, sliceID)
	}
	if len(faults) > 0 {
		err = api.NewProblem(api.CodeInvalidBody, faults[0].Pointer+": "+faults[0].Detail, faults...)
	}
	return sliceIDs, err
}

// reserveBatch stores the Idempotency-Key of a batch, or refuses one that was used for another request. A retry of the
// same request is not refused: each item has a key of its own.
func (t *Tracker) reserveBatch(ctx context.Context, c access.Caller, b batch) error {
	if b.request.RequestKey() == "" {
		return nil
	}
	return access.Change(ctx, t.access, c, b.operation, func(tx *access.Tx, c access.Caller) error {
		_, err := idempotent(t, tx, c, b.request, func() (out api.Nothing, _ error) { return out, nil })
		return err
	})
}

// itemRequest returns the request under whose key the response of an item is stored. A client cannot send such a key:
// it has a line break.
func (b batch) itemRequest(n int) request {
	key := b.request.RequestKey()
	if key != "" {
		key += "\n" + strconv.Itoa(n)
	}
	return itemRequest{api.Idempotency{IdempotencyKey: key}, b.ids[n]}
}

type itemRequest struct {
	api.Idempotency
	ID string
}

// batchResult completes the result of an item with its status, and with its problem if it has failed.
func (t *Tracker) batchResult(ctx context.Context, c access.Caller, b batch, r api.BatchResult, err error,
) api.BatchResult {
	if err == nil {
		if r.Status = http.StatusOK; r.Slice == nil {
			r.Status = http.StatusNoContent
		}
		return r
	}
	p := t.itemProblem(ctx, c, b.operation, r.ID, err)
	r.Slice, r.Changed, r.Status, r.Problem = nil, false, p.Status, p
	return r
}

// itemProblem returns the problem of an item of a batch. It logs an error that is the fault of the service.
func (t *Tracker) itemProblem(ctx context.Context, c access.Caller, operation, item string, err error) *api.Problem {
	p, failed := ProblemOf(ctx, err)
	if failed {
		t.log.Error("an item of a batch failed", "request", c.Request.ID, "operation", operation, "item", item, "error", err)
	}
	t.NoteRefusal(c.KeyID(), p.Code, operation)
	problem := *p
	problem.RequestID, problem.Type = c.Request.ID, t.baseURL+"/docs#"+p.Code
	return &problem
}
