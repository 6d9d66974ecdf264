package tracker

import (
	"context"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// ListSimilarToDraft lists slices that may report the same bug as a report that is not filed, the most similar first.
// It returns those that ListSimilar would return for the report once it is filed, refuses what filing refuses, and
// stores nothing.
func (t *Tracker) ListSimilarToDraft(ctx context.Context, c access.Caller, v input.Valid[api.ListSimilarToDraft],
) (api.Page[api.Similar], error) {
	var none api.Page[api.Similar]
	in, err := v.Value(c.Allow(api.OpListSimilarToDraft))
	if err != nil {
		return none, err
	}
	workspaceID, err := c.WorkspaceOrOwn(t.access.Read(ctx), in.Body.WorkspaceID)
	if err != nil {
		return none, err
	}
	draft, err := t.redactDraft(ctx, c, workspaceID, in.Body)
	if err != nil {
		return none, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpListSimilarToDraft)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	l := listing[api.Similar]{operation: api.OpListSimilarToDraft, parameters: in, paging: in.Paging}
	return t.listSimilar(c, l, func() ([]api.Similar, error) {
		g := t.access.NewGuard(ctx, c, api.OpListSimilarToDraft, func(q access.Queries, c access.Caller) error {
			return errorOf(c.RoleIn(q, workspaceID))
		})
		all, err := t.similar(t.access.Read(ctx), draft)
		if err == nil {
			err = g.Allow()
		}
		return all, err
	})
}

// redactDraft returns the compared members of a draft as they would be stored, for a workspace the caller sees:
// slices are compared by their redacted texts, and without their descriptions. The redactor acquires the slots that
// it needs.
func (t *Tracker) redactDraft(ctx context.Context, c access.Caller, workspaceID string, draft api.SliceDraft,
) (store.Slice, error) {
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, workspaceID); err != nil {
		return store.Slice{}, err
	}
	r, err := t.redactorFor(ctx, c, q, workspaceID)
	if err != nil {
		return store.Slice{}, err
	}
	counts := redact.Counts{}
	fields := api.SliceFields{Summary: draft.Summary, SourceURL: draft.SourceURL}
	if err := checkNewURLs(fields); err != nil {
		return store.Slice{}, err
	}
	if err := redactFields(r, &fields, counts); err != nil {
		return store.Slice{}, err
	}
	errors, err := r.text(strings.Join(draft.Errors, "\n"), nil, counts)
	if err == nil {
		err = r.checkCost()
	}
	return store.Slice{Symptoms: truncate(errors, maxSymptoms),
		Slice: api.Slice{WorkspaceID: workspaceID, SliceFields: fields}}, err
}
