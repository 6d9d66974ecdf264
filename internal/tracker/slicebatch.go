package tracker

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// BatchUpdateSlices changes slices, each by its own merge patch and in its own transaction.
func (t *Tracker) BatchUpdateSlices(ctx context.Context, c Caller, v input.Valid[api.BatchUpdateSlices]) (api.BatchResults, error) {
	in, err := v.Value(c.Allow(api.OpBatchUpdate))
	if err != nil {
		return api.BatchResults{}, err
	}
	b := batch{api.OpBatchUpdate, in, convert(in.Body.Items, func(i api.BatchUpdateItem) string { return i.ID })}
	return t.runBatch(ctx, c, b, func(n int, key request) (*api.Slice, error) {
		item := in.Body.Items[n]
		v, err := input.Check(api.UpdateSlice{SliceID: item.ID, IfMatch: item.IfMatch, Patch: item.Patch})
		if err != nil {
			return nil, err
		}
		s, err := t.updateSliceOnce(ctx, c, v, key)
		return &s, err
	})
}

// BatchDeleteSlices deletes slices, each in its own transaction.
func (t *Tracker) BatchDeleteSlices(ctx context.Context, c Caller, v input.Valid[api.BatchDeleteSlices]) (api.BatchResults, error) {
	in, err := v.Value(c.Allow(api.OpBatchDelete))
	if err != nil {
		return api.BatchResults{}, err
	}
	b := batch{api.OpBatchDelete, in, convert(in.Body.Items, func(i api.BatchDeleteItem) string { return i.ID })}
	return t.runBatch(ctx, c, b, func(n int, key request) (*api.Slice, error) {
		v, err := input.Check(api.DeleteSlice{SliceID: in.Body.Items[n].ID, IfMatch: in.Body.Items[n].IfMatch})
		if err == nil {
			_, err = t.deleteSliceOnce(ctx, c, v, key)
		}
		return nil, err
	})
}

// BatchRestoreSlices restores deleted slices, each in its own transaction.
func (t *Tracker) BatchRestoreSlices(ctx context.Context, c Caller, v input.Valid[api.BatchRestoreSlices]) (api.BatchResults, error) {
	in, err := v.Value(c.Allow(api.OpBatchRestore))
	if err != nil {
		return api.BatchResults{}, err
	}
	b := batch{api.OpBatchRestore, in, convert(in.Body.Items, func(i api.BatchRestoreItem) string { return i.ID })}
	return t.runBatch(ctx, c, b, func(n int, key request) (*api.Slice, error) {
		v, err := input.Check(api.RestoreSlice{SliceID: in.Body.Items[n].ID})
		if err != nil {
			return nil, err
		}
		s, err := t.restoreSliceOnce(ctx, c, v, key)
		return &s, err
	})
}

// batch is a request for several slices.
type batch struct {
	operation string
	request   request
	ids       []string // of the slices, or their references
}

// runBatch carries out the items of a batch in order, and returns a result for each. Before the first item, it refuses a
// caller who has lost the right, a batch that names a slice twice, and one whose Idempotency-Key was used for another
// request.
func (t *Tracker) runBatch(ctx context.Context, c Caller, b batch,
	carryOut func(n int, key request) (*api.Slice, error),
) (out api.BatchResults, err error) {
	if c, err = t.Reauthorize(ctx, c, b.operation); err != nil {
		return out, err
	}
	if err := c.checkDistinct(t.store.Read(ctx), b.ids); err != nil {
		return out, err
	}
	if err := t.reserveBatch(ctx, c, b); err != nil {
		return out, err
	}
	for n, id := range b.ids {
		s, err := carryOut(n, b.itemRequest(n))
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out.Results = append(out.Results, t.batchResult(ctx, c, b, api.BatchResult{ID: id, Slice: s}, err))
	}
	return out, nil
}

// checkDistinct refuses items that name the same slice, by its id or by any of its references.
func (c Caller) checkDistinct(q store.Queries, names []string) error {
	ids, err := c.sliceIDs(q, names)
	if err != nil {
		return err
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
	}
	if len(faults) > 0 {
		return api.NewProblem(api.CodeInvalidBody, faults[0].Pointer+": "+faults[0].Detail, faults...)
	}
	return nil
}

// reserveBatch stores the Idempotency-Key of a batch, or refuses one that was used for another request. A retry of the
// same request is not refused: each item has a key of its own.
func (t *Tracker) reserveBatch(ctx context.Context, c Caller, b batch) error {
	if b.request.RequestKey() == "" {
		return nil
	}
	return change(t, ctx, c, b.operation, func(tx *store.Tx, c Caller) error {
		_, err := idempotent(t, tx, c, b.request, func() (out api.Nothing, _ error) { return out, nil })
		return err
	})
}

// itemRequest returns the request under whose key the response of an item is stored. A client cannot send such a key: it
// has a line break.
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
func (t *Tracker) batchResult(ctx context.Context, c Caller, b batch, r api.BatchResult, err error) api.BatchResult {
	if err == nil {
		if r.Status = http.StatusOK; r.Slice == nil {
			r.Status = http.StatusNoContent
		}
		return r
	}
	p, failed := ProblemOf(ctx, err)
	if failed {
		t.log.Error("an item of a batch failed", "request", c.Request.ID, "operation", b.operation, "item", r.ID, "error", err)
	}
	t.NoteRefusal(c.KeyID(), p.Code, b.operation)
	problem := *p
	problem.RequestID, problem.Type = c.Request.ID, t.baseURL+"/docs#"+p.Code
	r.Slice, r.Status, r.Problem = nil, p.Status, &problem
	return r
}
