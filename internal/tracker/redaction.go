package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/fairshare"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// redactorFor returns what removes secrets for a workspace. Its version comes from the database on
// every request, so that a new rule holds from the next one on. It is for one request: what its
// patterns may cost is bounded, and whoever uses its results asks for its fault first.
func (t *Tracker) redactorFor(ctx context.Context, c Caller, q store.Queries, workspaceID string) (redactor, error) {
	w, err := q.Workspace(workspaceID)
	if err != nil {
		return redactor{}, err
	}
	r, err := t.redactors.get(w)
	if err == nil {
		r.Redactor, r.secrets = r.Within(ctx, redact.MaxWork), t.secrets
		r.acquireSlot = func() (*fairshare.Slot, error) { return t.AcquireSlot(ctx, c) }
	}
	return r, err
}

// redactorForSlice returns what removes secrets for the workspace of a slice the caller sees. Redaction
// may take long: it comes before a transaction, and never holds up the writes of others.
func (t *Tracker) redactorForSlice(ctx context.Context, c Caller, sliceID string) (redactor, error) {
	q := t.store.Read(ctx)
	s, err := t.slice(q, c, sliceID)
	if err != nil {
		return redactor{}, err
	}
	return t.redactorFor(ctx, c, q, s.WorkspaceID)
}

// DryRun shows what would be removed, by the rules of a workspace the caller sees or by others.
func (t *Tracker) DryRun(ctx context.Context, c Caller, v input.Valid[api.DryRun]) (api.DryRunResult, error) {
	var out api.DryRunResult
	in, err := v.Value(c.Allow(api.OpDryRun))
	if err != nil {
		return out, err
	}
	q := t.store.Read(ctx)
	if _, err := c.role(q, in.WorkspaceID); err != nil {
		return out, err
	}
	r, err := t.redactorFor(ctx, c, q, in.WorkspaceID)
	if err != nil {
		return out, err
	}
	if in.Body.Rules != nil {
		if r.Redactor, err = compileRules("/rules", *in.Body.Rules); err != nil {
			return out, err
		}
		r.Redactor, r.pointer = r.Within(ctx, redact.MaxWork), "/rules"
		r.ruleset = redact.Ruleset + "+try"
	}
	counts := redact.Counts{}
	if in.Body.Text != nil {
		text, err := r.text(*in.Body.Text, in.Body.ContentType, counts)
		if err != nil {
			return out, err
		}
		out.Text = &text
	}
	if in.Body.Evidence != nil {
		sets, err := r.evidence(in.Body.Evidence, counts)
		if err != nil {
			return out, err
		}
		if out.Evidence, err = evidence.ToAPI(sets); err != nil {
			return out, err
		}
	}
	if err := r.problem(); err != nil {
		return out, err
	}
	out.Redaction = *r.summary(&api.Redaction{Ruleset: r.ruleset, Counts: map[string]int64{}}, counts)
	return out, nil
}
