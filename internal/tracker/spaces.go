package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
)

// ListSpaces lists the spaces of a workspace, oldest first.
func (t *Tracker) ListSpaces(ctx context.Context, c access.Caller, v input.Valid[api.ListSpaces],
) (api.Page[api.Space], error) {
	in, err := v.Value(c.Allow(api.OpListSpaces))
	if err != nil {
		return api.Page[api.Space]{}, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, in.WorkspaceID); err != nil {
		return api.Page[api.Space]{}, err
	}
	l := listing[api.Space]{operation: api.OpListSpaces, parameters: in, paging: in.Paging}
	spaces := named[api.Space]{
		key:  func(s api.Space) string { return s.ID },
		name: func(s api.Space) string { return s.Name },
		read: func(searched []string, afterID string, limit int) ([]api.Space, error) {
			return q.Spaces(in.WorkspaceID, searched, afterID, limit)
		},
	}
	return listPage(t, c, l.byID(spaces.key, func(afterID string, limit int) ([]api.Space, error) {
		return spaces.search(in.Q, afterID, limit)
	}))
}

// CreateSpace creates a space in a workspace the caller sees.
func (t *Tracker) CreateSpace(ctx context.Context, c access.Caller, v input.Valid[api.CreateSpace]) (api.Space, error) {
	in, err := v.Value(c.Allow(api.OpCreateSpace))
	if err != nil {
		return api.Space{}, err
	}
	r, err := t.redactorForMember(ctx, c, in.WorkspaceID)
	if err != nil {
		return api.Space{}, err
	}
	fields := in.Body
	if err := redactFields(r, &fields, nil); err != nil {
		return api.Space{}, err
	}
	return access.Write(ctx, t.access, c, api.OpCreateSpace, func(tx *access.Tx, c access.Caller) (api.Space, error) {
		if _, err := c.RoleIn(tx.Queries, in.WorkspaceID); err != nil {
			return api.Space{}, err
		}
		return idempotent(t, tx, c, in, func() (api.Space, error) {
			s := api.Space{ID: id.New(id.Space), WorkspaceID: in.WorkspaceID, SpaceFields: fields, Version: 1}
			s.CreatedAt = api.At(id.Time(s.ID))
			s.UpdatedAt = s.CreatedAt
			if err := tx.InsertSpace(s); err != nil {
				return s, err
			}
			return s, t.publish(tx, c, s.WorkspaceID, event{Type: api.EventSpaceCreated, ID: s.ID, Subject: s})
		})
	})
}

// GetSpace returns a space of a workspace the caller sees.
func (t *Tracker) GetSpace(ctx context.Context, c access.Caller, v input.Valid[api.GetSpace]) (api.Space, error) {
	in, err := v.Value(c.Allow(api.OpGetSpace))
	if err != nil {
		return api.Space{}, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, in.WorkspaceID); err != nil {
		return api.Space{}, err
	}
	s, err := q.Space(in.WorkspaceID, in.SpaceID)
	return s, access.OrNotFound(err, "space")
}

// UpdateSpace changes a space by a merge patch. The caller must be an admin of the workspace.
func (t *Tracker) UpdateSpace(ctx context.Context, c access.Caller, v input.Valid[api.UpdateSpace]) (api.Space, error) {
	in, err := v.Value(c.Allow(api.OpUpdateSpace))
	if err != nil {
		return api.Space{}, err
	}
	r, err := t.redactorForMember(ctx, c, in.WorkspaceID)
	if err != nil {
		return api.Space{}, err
	}
	patch, err := redactPatch[api.SpaceFields](r, in.Patch, nil)
	if err != nil {
		return api.Space{}, err
	}
	return access.Write(ctx, t.access, c, api.OpUpdateSpace, func(tx *access.Tx, c access.Caller) (api.Space, error) {
		s, err := lockSpace(tx, c, in.WorkspaceID, in.SpaceID, in.IfMatch)
		if err != nil {
			return s, err
		}
		previous, err := applyPatch(&s.SpaceFields, patch)
		if err != nil || len(previous) == 0 {
			return s, err
		}
		s.UpdatedAt = maxTime(t.clock(), s.UpdatedAt)
		if err := tx.UpdateSpace(&s); err != nil {
			return s, err
		}
		return s, t.publish(tx, c, s.WorkspaceID, event{Type: api.EventSpaceUpdated, ID: s.ID, Subject: s,
			Previous: previous})
	})
}

// DeleteSpace deletes a space. The caller must be an admin of the workspace. No reader finds the space or sees it in
// a slice from then on; a job detaches the slices.
func (t *Tracker) DeleteSpace(ctx context.Context, c access.Caller, v input.Valid[api.DeleteSpace],
) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpDeleteSpace))
	if err != nil {
		return api.Nothing{}, err
	}
	return access.Write(ctx, t.access, c, api.OpDeleteSpace, func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
		s, err := lockSpace(tx, c, in.WorkspaceID, in.SpaceID, in.IfMatch)
		if err != nil {
			return api.Nothing{}, err
		}
		if err := tx.DeleteSpace(s.ID, t.clock()); err != nil {
			return api.Nothing{}, err
		}
		return api.Nothing{}, t.publish(tx, c, s.WorkspaceID, event{Type: api.EventSpaceDeleted, ID: s.ID, Subject: s})
	})
}

// lockSpace returns a space of a workspace the caller administers, with a row lock. It refuses another version than
// that of If-Match.
func lockSpace(tx *access.Tx, c access.Caller, workspaceID, spaceID, ifMatch string) (api.Space, error) {
	if err := c.RequireAdmin(tx.Queries, workspaceID); err != nil {
		return api.Space{}, err
	}
	s, err := tx.LockSpace(workspaceID, spaceID)
	if err != nil {
		return s, access.OrNotFound(err, "space")
	}
	return s, checkIfMatch("space", ifMatch, s.Version)
}

// detachFromSpace detaches some slices from a deleted space. It returns jobBatch until no slice has a deleted space.
func (t *Tracker) detachFromSpace(tx *access.Tx) (int, error) {
	spaceID, batch, err := tx.LockSlicesOfDeletedSpace(detachedAtOnce)
	if err != nil {
		return 0, err
	}
	return t.detachSlices(tx, batch, goneReference{"spaceId", spaceID, tx.DetachSlice})
}
