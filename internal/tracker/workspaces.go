package tracker

import (
	"context"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListWorkspaces lists the workspaces the caller sees, oldest first.
func (t *Tracker) ListWorkspaces(ctx context.Context, c access.Caller, v input.Valid[api.ListWorkspaces],
) (api.Page[api.Workspace], error) {
	in, err := v.Value(c.Allow(api.OpListWorkspaces))
	if err != nil {
		return api.Page[api.Workspace]{}, err
	}
	l := listing[api.Workspace]{operation: api.OpListWorkspaces, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(w api.Workspace) string { return w.ID },
		func(afterID string, limit int) ([]api.Workspace, error) {
			rows, err := t.visibleWorkspaces(t.access.Read(ctx), c, afterID, limit)
			return convert(rows, func(w store.Workspace) api.Workspace { return w.Workspace }), err
		}))
}

func (t *Tracker) visibleWorkspaces(q access.Queries, c access.Caller, after string, limit int,
) ([]store.Workspace, error) {
	if c.Type != access.ServiceCaller {
		return q.WorkspacesOf(c.ID, after, limit)
	}
	if c.WorkspaceID <= after {
		return nil, nil
	}
	w, err := q.Workspace(c.WorkspaceID)
	return []store.Workspace{w}, err
}

// CreateWorkspace creates a workspace with the calling user as its admin. It refuses a service.
func (t *Tracker) CreateWorkspace(ctx context.Context, c access.Caller, v input.Valid[api.CreateWorkspace],
) (api.Workspace, error) {
	in, err := v.Value(c.Allow(api.OpCreateWorkspace))
	if err != nil {
		return api.Workspace{}, err
	}
	if c.Type != access.UserCaller {
		return api.Workspace{},
			api.NewProblem(api.CodeForbidden,
				"A workspace service token cannot create workspaces. Use a personal access token.")
	}
	create := func() (api.Workspace, error) {
		return access.Write(ctx, t.access, c, api.OpCreateWorkspace,
			func(tx *access.Tx, c access.Caller) (api.Workspace, error) {
				return idempotent(t, tx, c, in, func() (api.Workspace, error) {
					return t.createWorkspace(tx, c, in.Body, c.ID)
				})
			})
	}
	if in.Body.Key == "" {
		return create()
	}
	return t.probeKey(ctx, c, create)
}

// createWorkspace stores and publishes a new workspace with its first admin. It refuses invalid redaction rules, an
// unknown time zone, and a key that is, or was, that of another workspace.
func (t *Tracker) createWorkspace(tx *access.Tx, c access.Caller, fields api.WorkspaceFields, adminID string,
) (api.Workspace, error) {
	w := store.Workspace{Workspace: api.Workspace{ID: id.New(id.Workspace), OrganizationID: c.Organization.ID,
		WorkspaceFields: fields}}
	w.CreatedAt = api.At(id.Time(w.ID))
	w.UpdatedAt = w.CreatedAt
	completeKeys(&w.MetadataKeys)
	completeRules(&w.Redaction)
	completeTemplates(&w.ReportTemplates)
	completeColors(&w.LabelColors)
	completeContent(&w.MailContent)
	if err := checkRules(w.Redaction); err != nil {
		return w.Workspace, err
	}
	if err := checkFormMembers(w.WorkspaceFields); err != nil {
		return w.Workspace, err
	}
	if err := completeZone(&w.TimeZone); err != nil {
		return w.Workspace, err
	}
	if err := reserveKey(tx, c, &w); err != nil {
		return w.Workspace, err
	}
	if err := tx.InsertWorkspace(&w); err != nil {
		return w.Workspace, err
	}
	if err := tx.PutMember(w.ID, adminID, api.RoleAdmin, w.CreatedAt); err != nil {
		return w.Workspace, err
	}
	return w.Workspace, t.publish(tx, c, w.ID, event{Type: api.EventWorkspaceCreated, ID: w.ID, Subject: w.Workspace})
}

// GetWorkspace returns a workspace the caller sees.
func (t *Tracker) GetWorkspace(ctx context.Context, c access.Caller, v input.Valid[api.GetWorkspace],
) (api.Workspace, error) {
	in, err := v.Value(c.Allow(api.OpGetWorkspace))
	if err != nil {
		return api.Workspace{}, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, in.WorkspaceID); err != nil {
		return api.Workspace{}, err
	}
	w, err := q.Workspace(in.WorkspaceID)
	return w.Workspace, access.OrNotFound(err, "workspace")
}

// UpdateWorkspace changes a workspace by a merge patch. The caller must be an admin of it.
func (t *Tracker) UpdateWorkspace(ctx context.Context, c access.Caller, v input.Valid[api.UpdateWorkspace],
) (api.Workspace, error) {
	in, err := v.Value(c.Allow(api.OpUpdateWorkspace))
	if err != nil {
		return api.Workspace{}, err
	}
	change := func() (api.Workspace, error) { return t.changeWorkspace(ctx, c, in) }
	if t.asksForKey(ctx, in) {
		return t.probeKey(ctx, c, change)
	}
	return change()
}

// changeWorkspace is UpdateWorkspace with its input, without what follows the change.
func (t *Tracker) changeWorkspace(ctx context.Context, c access.Caller, in api.UpdateWorkspace) (api.Workspace, error) {
	return access.Write(ctx, t.access, c, api.OpUpdateWorkspace,
		func(tx *access.Tx, c access.Caller) (api.Workspace, error) {
			if err := c.RequireAdmin(tx.Queries, in.WorkspaceID); err != nil {
				return api.Workspace{}, err
			}
			w, err := tx.LockWorkspace(in.WorkspaceID)
			if err != nil {
				return api.Workspace{}, err
			}
			if err := checkIfMatch("workspace", in.IfMatch, w.Version); err != nil {
				return w.Workspace, err
			}
			changed, err := t.updateWorkspace(tx, c, w, in.Patch)
			tx.NeedsProof(changed.KeepFileMetadata && !w.KeepFileMetadata ||
				removesLess(w.Redaction, changed.Redaction))
			return changed, err
		})
}

// removesLess returns whether something that the former rules remove may stay with others.
func removesLess(former, others api.RedactionRules) bool {
	return lacks(others.Fields, former.Fields) || lacks(others.Patterns, former.Patterns) ||
		lacks(former.Allow, others.Allow) || lacks(former.Off, others.Off) || !strings.Contains(others.Added, former.Added)
}

// lacks returns whether a list is without one of the others.
func lacks[T comparable](list, others []T) bool {
	return slices.ContainsFunc(others, func(o T) bool { return !slices.Contains(list, o) })
}

// updateWorkspace applies a merge patch to a locked workspace, stores it and publishes the change.
func (t *Tracker) updateWorkspace(tx *access.Tx, c access.Caller, w store.Workspace, patch api.WorkspacePatch) (
	api.Workspace, error,
) {
	w.MetadataKeys, w.ReportTemplates = slices.Clone(w.MetadataKeys), slices.Clone(w.ReportTemplates)
	previous, err := applyPatch(&w.WorkspaceFields, withNamedColors(patch))
	if err != nil || len(previous) == 0 {
		return w.Workspace, err
	}
	completeKeys(&w.MetadataKeys)
	completeRules(&w.Redaction)
	completeTemplates(&w.ReportTemplates)
	completeColors(&w.LabelColors)
	completeContent(&w.MailContent)
	if err := checkFormMembers(w.WorkspaceFields); err != nil {
		return w.Workspace, err
	}
	if hasKey(previous, "redaction") {
		if err := checkRules(w.Redaction); err != nil {
			return w.Workspace, err
		}
	}
	if err := completeZone(&w.TimeZone); err != nil {
		return w.Workspace, err
	}
	if hasKey(previous, "key") {
		if err := reserveKey(tx, c, &w); err != nil {
			return w.Workspace, err
		}
	}
	w.UpdatedAt = t.clock()
	if err := tx.UpdateWorkspace(&w); err != nil {
		return w.Workspace, err
	}
	return w.Workspace, t.publish(tx, c, w.ID, event{Type: api.EventWorkspaceUpdated, ID: w.ID, Subject: w.Workspace,
		Previous: previous})
}

// UpdateWorkspace changes a workspace of the organisation by a merge patch.
func (o OrganizationOperator) UpdateWorkspace(ctx context.Context, workspaceID string, patch api.WorkspacePatch) error {
	return access.Change(ctx, o.t.access, o.c, "", func(tx *access.Tx, c access.Caller) error {
		w, err := tx.LockWorkspace(workspaceID)
		if err == nil && w.OrganizationID != c.Organization.ID {
			err = store.ErrNotFound
		}
		if err == nil {
			_, err = o.t.updateWorkspace(tx, c, w, patch)
		}
		return access.OrNotFound(err, "workspace")
	})
}

// ListMembers lists the members of a workspace in the order of their user ids. Only its admins see e-mail addresses.
func (t *Tracker) ListMembers(ctx context.Context, c access.Caller, v input.Valid[api.ListMembers],
) (api.Page[api.Member], error) {
	in, err := v.Value(c.Allow(api.OpListMembers))
	if err != nil {
		return api.Page[api.Member]{}, err
	}
	q := t.access.Read(ctx)
	role, err := c.RoleIn(q, in.WorkspaceID)
	if err != nil {
		return api.Page[api.Member]{}, err
	}
	l := listing[api.Member]{operation: api.OpListMembers, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(m api.Member) string { return m.UserID },
		func(afterID string, limit int) ([]api.Member, error) {
			if in.Email != "" && role != api.RoleAdmin {
				return nil, nil
			}
			rows, err := findMembers(q, in, afterID, limit)
			if role != api.RoleAdmin {
				for i := range rows {
					rows[i].Email = nil
				}
			}
			return rows, err
		}))
}

// findMembers returns at most limit members after afterID: those with the words of a search, or the one with an
// e-mail address.
func findMembers(q access.Queries, in api.ListMembers, afterID string, limit int) ([]api.Member, error) {
	read := func(searched []string, afterID string, limit int) ([]api.Member, error) {
		if in.Email != "" {
			return q.MembersByEmail(in.WorkspaceID, strings.ToLower(in.Email), afterID)
		}
		return q.Members(in.WorkspaceID, searched, afterID, limit)
	}
	userID := func(m api.Member) string { return m.UserID }
	name := func(m api.Member) string { return m.Name }
	return named[api.Member]{userID, name, read}.search(in.Q, afterID, limit)
}
