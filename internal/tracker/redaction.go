package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/evidence"
	"bugslice/internal/fairshare"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// redactorFor returns the redactor of a workspace for one request. The version of the rules is read from the
// database, so that a new rule applies from the next request. The cost of the workspace's patterns is limited: the
// results must not be used when checkCost returns an error.
func (t *Tracker) redactorFor(ctx context.Context, c access.Caller, q access.Queries, workspaceID string,
) (redactor, error) {
	w, err := q.Workspace(workspaceID)
	if err != nil {
		return redactor{}, err
	}
	return t.redactorOf(ctx, c, w)
}

// redactorForMember returns the redactor of a workspace the caller sees.
func (t *Tracker) redactorForMember(ctx context.Context, c access.Caller, workspaceID string) (redactor, error) {
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, workspaceID); err != nil {
		return redactor{}, err
	}
	return t.redactorFor(ctx, c, q, workspaceID)
}

// redactorOf returns the redactor of a workspace.
func (t *Tracker) redactorOf(ctx context.Context, c access.Caller, w store.Workspace) (redactor, error) {
	r, err := t.redactors.get(w)
	if err == nil {
		r.Redactor, r.secrets = r.Within(ctx, redact.MaxWork).Report(), t.secrets
		r.acquireSlot = func() (*fairshare.Slot, error) { return t.AcquireSlot(ctx, c) }
	}
	return r, err
}

// redactorForSlice returns the redactor of the workspace of a slice the caller sees. Redaction may be slow, so it is
// done before the transaction.
func (t *Tracker) redactorForSlice(ctx context.Context, c access.Caller, sliceID string) (redactor, error) {
	s, w, err := t.sliceAndWorkspace(ctx, c, sliceID)
	if err != nil {
		return redactor{}, err
	}
	r, err := t.redactorOf(ctx, c, w)
	return r.knowing(s), err
}

// sliceAndWorkspace returns a slice the caller sees, and its workspace.
func (t *Tracker) sliceAndWorkspace(ctx context.Context, c access.Caller, sliceID string) (
	store.Slice, store.Workspace, error,
) {
	q := t.access.Read(ctx)
	s, err := c.Slice(q, sliceID)
	if err != nil {
		return s, store.Workspace{}, err
	}
	w, err := q.Workspace(s.WorkspaceID)
	return s, w, err
}

// DryRun redacts a text and evidence by the rules of a workspace the caller sees, or by the rules in the request, and
// stores nothing.
func (t *Tracker) DryRun(ctx context.Context, c access.Caller, v input.Valid[api.DryRun]) (api.DryRunResult, error) {
	var out api.DryRunResult
	in, err := v.Value(c.Allow(api.OpDryRun))
	if err != nil {
		return out, err
	}
	r, err := t.dryRunRedactor(ctx, c, in)
	if err != nil {
		return out, err
	}
	counts := redact.Counts{}
	if in.Body.Text != nil {
		text, err := r.text(*in.Body.Text, in.Body.ContentType, counts)
		if err != nil {
			return out, err
		}
		out.Text = &text
		if in.Body.ContentType == nil {
			if out.Removals, err = r.explain(*in.Body.Text); err != nil {
				return out, err
			}
		}
	}
	if in.Body.Evidence != nil {
		sets, err := r.evidence(in.Body.Evidence, counts)
		if err != nil {
			return out, err
		}
		if out.Evidence, err = evidence.ToAPI(sets); err != nil {
			return out, err
		}
		out.Repairs = evidence.Repairs(in.Body.Repairs, sets)
	}
	if err := r.checkCost(); err != nil {
		return out, err
	}
	nothing := api.Redaction{Ruleset: r.ruleset, Counts: map[string]int64{}}
	out.Redaction = *r.summary(&nothing, counts)
	return out, nil
}

// dryRunRedactor returns the redactor of a workspace the caller sees, with the rules of the request if it has some.
func (t *Tracker) dryRunRedactor(ctx context.Context, c access.Caller, in api.DryRun) (redactor, error) {
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, in.WorkspaceID); err != nil {
		return redactor{}, err
	}
	r, err := t.redactorFor(ctx, c, q, in.WorkspaceID)
	if err != nil || in.Body.Rules == nil {
		return r, err
	}
	if r.Redactor, err = compileRules("/rules", *in.Body.Rules); err != nil {
		return r, err
	}
	r.Redactor, r.pointer = r.Within(ctx, redact.MaxWork), "/rules"
	r.ruleset = redact.Ruleset + "+try"
	return r, nil
}
