package tracker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// faultsOf returns the faults of members that several checks refuse, in one problem, and the first other error as it
// is.
func faultsOf(checks ...func() error) error {
	var all []api.Fault
	var first error
	for _, check := range checks {
		err := check()
		first = cmp.Or(first, err)
		p, ok := errors.AsType[*api.Problem](err)
		switch {
		case err == nil:
		case ok && p.Code == api.CodeInvalidBody:
			all = append(all, p.Errors...)
		default:
			return err
		}
	}
	if len(all) <= 1 {
		return first
	}
	return input.InvalidBody(all)
}

// WithReferenceFaults returns the refusal of a body that creates or changes a slice, with the faults that only the
// database finds: references to records that the workspace does not have. The refusal of another operation, of a
// caller without the right, and of a slice that the caller does not see are returned as they are.
func (t *Tracker) WithReferenceFaults(ctx context.Context, c access.Caller, operation string, s input.Source,
	refusal error,
) error {
	if operation != api.OpCreateSlice && operation != api.OpUpdateSlice || c.Allow(operation) != nil {
		return refusal
	}
	var members map[string]any
	if json.Unmarshal(s.Body, &members) != nil {
		return refusal
	}
	sliceID := ""
	if operation == api.OpUpdateSlice {
		sliceID = s.Path("sliceId")
	}
	return t.withReferenceFaults(ctx, c, sliceID, members, refusal)
}

// withReferenceFaults adds the faults of references to the refusal of the members of a slice, or of a new one without
// an id. The caller has the right to the operation.
func (t *Tracker) withReferenceFaults(ctx context.Context, c access.Caller, sliceID string, members map[string]any,
	refusal error,
) error {
	p, ok := errors.AsType[*api.Problem](refusal)
	if !ok || p.Code != api.CodeInvalidBody {
		return refusal
	}
	q := t.access.Read(ctx)
	workspaceID, err := referencingWorkspace(q, c, sliceID, members)
	if err != nil {
		return refusal
	}
	found := faultsOf(
		func() error {
			return missingReference(members, p, reference{"/spaceId", "", id.Space, "no such space in this workspace"},
				func(text string) error { return errorOf(q.Space(workspaceID, text)) })
		},
		func() error {
			return missingReference(members, p, reference{"/assigneeId", "", id.User, "no such member of this workspace"},
				func(text string) error { return errorOf(q.Role(workspaceID, text)) })
		},
		func() error {
			return missingReference(members, p, reference{"/duplicateOfId", "", id.Slice, "no such slice in this workspace"},
				func(text string) error {
					original, err := q.Slice(text)
					if err == nil && (original.WorkspaceID != workspaceID || original.DeletedAt != nil) {
						err = store.ErrNotFound
					}
					return err
				})
		})
	if more, ok := errors.AsType[*api.Problem](found); ok && more.Code == api.CodeInvalidBody {
		return input.InvalidBody(slices.Concat(p.Errors, more.Errors))
	}
	return refusal
}

// referencingWorkspace returns the workspace of a slice that the caller sees, or of a new one without an id.
func referencingWorkspace(q access.Queries, c access.Caller, sliceID string, members map[string]any) (string, error) {
	if sliceID != "" {
		s, err := c.Slice(q, sliceID)
		return s.WorkspaceID, err
	}
	var named *string
	if text, ok := members["workspaceId"].(string); ok {
		named = &text
	}
	workspaceID, err := c.WorkspaceOrOwn(q, named)
	if err == nil {
		_, err = c.RoleIn(q, workspaceID)
	}
	return workspaceID, err
}

// missingReference returns the fault of a member whose record does not exist. A member that the refusal names, and one
// that is no text, have none.
func missingReference(members map[string]any, refusal *api.Problem, r reference, read func(text string) error) error {
	text, ok := members[r.pointer[1:]].(string)
	if !ok || slices.ContainsFunc(refusal.Errors, func(f api.Fault) bool { return f.Pointer == r.pointer }) {
		return nil
	}
	r.text = text
	if err := read(text); err != nil {
		return r.unknown(err)
	}
	return nil
}
