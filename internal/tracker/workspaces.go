package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListWorkspaces lists the workspaces the caller sees, oldest first.
func (t *Tracker) ListWorkspaces(ctx context.Context, c Caller, v input.Valid[api.ListWorkspaces]) (api.Page[api.Workspace], error) {
	var none api.Page[api.Workspace]
	in, err := v.Value(c.Allow(api.OpListWorkspaces))
	if err != nil {
		return none, err
	}
	bind := cursorScope(api.OpListWorkspaces, c, nil)
	at, err := t.decodeCursor(in.Paging, bind, 1)
	if err != nil {
		return none, err
	}
	rows, err := t.visibleWorkspaces(t.store.Read(ctx), c, at[0], in.Limit+1)
	if err != nil {
		return none, err
	}
	shown := convert(rows, func(w store.Workspace) api.Workspace { return w.Workspace })
	return newPage(t, shown, in.Limit, bind, func(w api.Workspace) []string { return []string{w.ID} }), nil
}

func (t *Tracker) visibleWorkspaces(q store.Queries, c Caller, after string, limit int) ([]store.Workspace, error) {
	if c.Type != ServiceCaller {
		return q.WorkspacesOf(c.ID, after, limit)
	}
	if c.WorkspaceID <= after {
		return nil, nil
	}
	w, err := q.Workspace(c.WorkspaceID)
	return []store.Workspace{w}, err
}

// CreateWorkspace makes a workspace with the calling user as its admin. A service is refused.
func (t *Tracker) CreateWorkspace(ctx context.Context, c Caller, v input.Valid[api.CreateWorkspace]) (api.Workspace, error) {
	in, err := v.Value(c.Allow(api.OpCreateWorkspace))
	if err != nil {
		return api.Workspace{}, err
	}
	if c.Type != UserCaller {
		return api.Workspace{}, api.Refuse(api.CodeForbidden, "A workspace service token cannot create workspaces. Use a personal access token.")
	}
	return write(t, ctx, c, api.OpCreateWorkspace, func(tx *store.Tx, c Caller) (api.Workspace, error) {
		return idempotent(t, tx, c, api.OpCreateWorkspace, in.IdempotencyKey, in, func() (api.Workspace, error) {
			return t.createWorkspace(tx, c, in.Body, c.ID)
		})
	})
}

func (t *Tracker) createWorkspace(tx *store.Tx, c Caller, fields api.WorkspaceFields, adminID string) (api.Workspace, error) {
	w := store.Workspace{Workspace: api.Workspace{ID: id.New(id.Workspace), OrganizationID: c.Organization.ID, WorkspaceFields: fields}}
	w.CreatedAt = api.At(id.Time(w.ID))
	w.UpdatedAt = w.CreatedAt
	completeRules(&w.Redaction)
	if err := checkRules(w.Redaction); err != nil {
		return w.Workspace, err
	}
	if err := tx.InsertWorkspace(&w); err != nil {
		return w.Workspace, err
	}
	if err := tx.PutMember(w.ID, adminID, api.RoleAdmin, w.CreatedAt); err != nil {
		return w.Workspace, err
	}
	return w.Workspace, t.announce(tx, c, w.ID, event{api.EventWorkspaceCreated, w.ID, w.Workspace, nil})
}

// completeRules makes lists of what was left out.
func completeRules(r *api.RedactionRules) {
	if r.Fields == nil {
		r.Fields = []string{}
	}
	if r.Patterns == nil {
		r.Patterns = []api.RedactionPattern{}
	}
	if r.Allow == nil {
		r.Allow = []string{}
	}
	for i := range r.Patterns {
		if r.Patterns[i].Mask == "" {
			r.Patterns[i].Mask = "[redacted:rule]"
		}
	}
}

// GetWorkspace returns a workspace the caller sees.
func (t *Tracker) GetWorkspace(ctx context.Context, c Caller, v input.Valid[api.GetWorkspace]) (api.Workspace, error) {
	in, err := v.Value(c.Allow(api.OpGetWorkspace))
	if err != nil {
		return api.Workspace{}, err
	}
	q := t.store.Read(ctx)
	if _, err := c.role(q, in.WorkspaceID); err != nil {
		return api.Workspace{}, err
	}
	w, err := q.Workspace(in.WorkspaceID)
	return w.Workspace, orNotFound(err, "workspace")
}

// UpdateWorkspace changes a workspace, for its admins and services.
func (t *Tracker) UpdateWorkspace(ctx context.Context, c Caller, v input.Valid[api.UpdateWorkspace]) (api.Workspace, error) {
	in, err := v.Value(c.Allow(api.OpUpdateWorkspace))
	if err != nil {
		return api.Workspace{}, err
	}
	return write(t, ctx, c, api.OpUpdateWorkspace, func(tx *store.Tx, c Caller) (api.Workspace, error) {
		if err := c.requireAdmin(tx.Queries, in.WorkspaceID); err != nil {
			return api.Workspace{}, err
		}
		w, err := tx.LockWorkspace(in.WorkspaceID)
		if err != nil {
			return api.Workspace{}, err
		}
		previous, err := apply(&w.WorkspaceFields, in.Patch)
		if err != nil || len(previous) == 0 {
			return w.Workspace, err
		}
		completeRules(&w.Redaction)
		if hasKey(previous, "redaction") {
			if err := checkRules(w.Redaction); err != nil {
				return w.Workspace, err
			}
		}
		w.UpdatedAt = t.clock()
		if err := tx.UpdateWorkspace(&w); err != nil {
			return w.Workspace, err
		}
		return w.Workspace, t.announce(tx, c, w.ID, event{api.EventWorkspaceUpdated, w.ID, w.Workspace, previous})
	})
}

// ListMembers lists the members of a workspace by user id; their e-mail addresses for its admins alone.
func (t *Tracker) ListMembers(ctx context.Context, c Caller, v input.Valid[api.ListMembers]) (api.Page[api.Member], error) {
	var none api.Page[api.Member]
	in, err := v.Value(c.Allow(api.OpListMembers))
	if err != nil {
		return none, err
	}
	q := t.store.Read(ctx)
	role, err := c.role(q, in.WorkspaceID)
	if err != nil {
		return none, err
	}
	bind := cursorScope(api.OpListMembers, c, in.WorkspaceID)
	at, err := t.decodeCursor(in.Paging, bind, 1)
	if err != nil {
		return none, err
	}
	rows, err := q.Members(in.WorkspaceID, at[0], in.Limit+1)
	if err != nil {
		return none, err
	}
	if role != api.RoleAdmin {
		for i := range rows {
			rows[i].Email = nil
		}
	}
	return newPage(t, rows, in.Limit, bind, func(m api.Member) []string { return []string{m.UserID} }), nil
}

// ListSpaces lists the spaces of a workspace, oldest first.
func (t *Tracker) ListSpaces(ctx context.Context, c Caller, v input.Valid[api.ListSpaces]) (api.Page[api.Space], error) {
	var none api.Page[api.Space]
	in, err := v.Value(c.Allow(api.OpListSpaces))
	if err != nil {
		return none, err
	}
	q := t.store.Read(ctx)
	if _, err := c.role(q, in.WorkspaceID); err != nil {
		return none, err
	}
	bind := cursorScope(api.OpListSpaces, c, in.WorkspaceID)
	at, err := t.decodeCursor(in.Paging, bind, 1)
	if err != nil {
		return none, err
	}
	rows, err := q.Spaces(in.WorkspaceID, at[0], in.Limit+1)
	if err != nil {
		return none, err
	}
	return newPage(t, rows, in.Limit, bind, func(s api.Space) []string { return []string{s.ID} }), nil
}

// CreateSpace makes a space in a workspace the caller sees.
func (t *Tracker) CreateSpace(ctx context.Context, c Caller, v input.Valid[api.CreateSpace]) (api.Space, error) {
	in, err := v.Value(c.Allow(api.OpCreateSpace))
	if err != nil {
		return api.Space{}, err
	}
	return write(t, ctx, c, api.OpCreateSpace, func(tx *store.Tx, c Caller) (api.Space, error) {
		if _, err := c.role(tx.Queries, in.WorkspaceID); err != nil {
			return api.Space{}, err
		}
		return idempotent(t, tx, c, api.OpCreateSpace, in.IdempotencyKey, in, func() (api.Space, error) {
			s := api.Space{ID: id.New(id.Space), WorkspaceID: in.WorkspaceID, SpaceFields: in.Body}
			s.CreatedAt = api.At(id.Time(s.ID))
			s.UpdatedAt = s.CreatedAt
			if err := tx.InsertSpace(s); err != nil {
				return s, err
			}
			return s, t.announce(tx, c, s.WorkspaceID, event{api.EventSpaceCreated, s.ID, s, nil})
		})
	})
}
