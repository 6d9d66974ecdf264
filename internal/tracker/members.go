package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// PutMember makes a user of the organisation a member of a workspace, or changes its role there.
func (o OrganizationOperator) PutMember(ctx context.Context, workspaceID, userID string, role api.Role) error {
	return access.Change(ctx, o.t.access, o.c, "", func(tx *access.Tx, c access.Caller) error {
		return o.t.putMember(tx, c, store.Membership{WorkspaceID: workspaceID, UserID: userID, Role: role})
	})
}

// RemoveMember ends a membership and unassigns the user from the workspace's slices; a job does when they are many.
// The last admin stays.
func (o OrganizationOperator) RemoveMember(ctx context.Context, workspaceID, userID string) error {
	return access.Change(ctx, o.t.access, o.c, "", func(tx *access.Tx, c access.Caller) error {
		return o.t.removeMember(tx, c, workspaceID, userID)
	})
}

// PutMember makes a user of the organisation a member of a workspace, or changes its role there. The caller must be
// an admin of the workspace, or manage the people of the organisation.
func (t *Tracker) PutMember(ctx context.Context, c access.Caller, v input.Valid[api.PutMember]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpPutMember))
	if err != nil {
		return none, err
	}
	if role := in.Body.Role; role != api.RoleAdmin && role != api.RoleMember {
		return none, api.InvalidMember("/role", "unknown", "the role in a workspace must be admin or member")
	}
	return none, access.Change(ctx, t.access, c, api.OpPutMember, func(tx *access.Tx, c access.Caller) error {
		return t.putMember(tx, c,
			store.Membership{WorkspaceID: in.WorkspaceID, UserID: in.UserID, Role: in.Body.Role})
	})
}

// RemoveMember ends a membership and unassigns the user from the workspace's slices; a job does when they are many.
// The last admin stays. The caller must be an admin of the workspace, manage the people of the organisation, or be
// the user.
func (t *Tracker) RemoveMember(ctx context.Context, c access.Caller, v input.Valid[api.RemoveMember]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpRemoveMember))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpRemoveMember, func(tx *access.Tx, c access.Caller) error {
		return t.removeMember(tx, c, in.WorkspaceID, in.UserID)
	})
}

// putMember makes a user of the organisation a member of a workspace, or changes the role of a member. It refuses to
// take the workspace its last admin. A role that the user has already changes nothing.
func (t *Tracker) putMember(tx *access.Tx, c access.Caller, m store.Membership) error {
	if err := requireMemberManager(tx.Queries, c, m.WorkspaceID); err != nil {
		return err
	}
	u, err := tx.User(m.UserID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (u.OrgID != c.Organization.ID || u.ErasedAt != nil) {
		return api.NewProblem(api.CodeNotFound, "there is no user "+m.UserID+" in this organisation")
	}
	if err != nil {
		return err
	}
	return t.storeMember(tx, c, u, m)
}

// storeMember stores a membership of a user as putMember does, without the check of the caller's right.
func (t *Tracker) storeMember(tx *access.Tx, c access.Caller, u store.User, m store.Membership) error {
	kind := api.EventMemberChanged
	current, err := tx.Role(m.WorkspaceID, m.UserID)
	if errors.Is(err, store.ErrNotFound) {
		kind, err = api.EventMemberAdded, nil
	}
	if err != nil || current == m.Role {
		return err
	}
	if err := tx.PutMember(m.WorkspaceID, m.UserID, m.Role, t.clock()); err != nil {
		return err
	}
	if err := t.publish(tx, c, m.WorkspaceID, memberEvent(kind, u, m.Role, current)); err != nil {
		return err
	}
	return checkLastAdmin(tx.Queries, m.WorkspaceID)
}

// removeMember ends a membership. It refuses a caller who is not the user and does not manage the members of the
// workspace, and to take the workspace its last admin.
func (t *Tracker) removeMember(tx *access.Tx, c access.Caller, workspaceID, userID string) error {
	if userID != c.ID {
		if err := requireMemberManager(tx.Queries, c, workspaceID); err != nil {
			return err
		}
	}
	u, err := tx.User(userID)
	if err == nil && u.OrgID != c.Organization.ID {
		err = store.ErrNotFound
	}
	if err == nil {
		err = t.endMembership(tx, c, workspaceID, u)
	}
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeNotFound, "user "+userID+" is no member of workspace "+workspaceID)
	}
	if err != nil {
		return err
	}
	return checkLastAdmin(tx.Queries, workspaceID)
}

// endMembership ends a membership, unassigns the user from slices of the workspace and publishes both. A job
// unassigns the user from the slices that are left. store.ErrNotFound is a user who is no member.
func (t *Tracker) endMembership(tx *access.Tx, c access.Caller, workspaceID string, u store.User) error {
	role, err := tx.Role(workspaceID, u.ID)
	if err != nil {
		return err
	}
	if err := tx.DeleteMember(workspaceID, u.ID); err != nil {
		return err
	}
	former := store.Assignee{WorkspaceID: workspaceID, UserID: u.ID}
	_, events, err := t.unassign(tx, former)
	if err != nil {
		return err
	}
	if err := t.publish(tx, c, workspaceID,
		append(events, memberEvent(api.EventMemberRemoved, u, role, ""))...); err != nil {
		return err
	}
	left, err := tx.SlicesAssigned(workspaceID, u.ID, 1) // the workspace is locked: nobody assigns another one
	if err == nil && len(left) > 0 {
		err = tx.InsertFormerAssignee(former)
	}
	return err
}

// memberEvent returns the event of a member with a role, whose former role was another; empty for none.
func memberEvent(what api.EventType, u store.User, role, former api.Role) event {
	e := event{Type: what, ID: u.ID, Subject: map[string]any{"userId": u.ID, "name": u.Name, "role": role}}
	if former != "" {
		e.Previous = map[string]any{"role": former}
	}
	return e
}

// unassign takes a user off some slices of a workspace, in order of id, and returns their number and the events to
// publish.
func (t *Tracker) unassign(tx *access.Tx, from store.Assignee) (int, []event, error) {
	assigned, err := tx.LockSlicesAssigned(from.WorkspaceID, from.UserID, detachedAtOnce)
	if err != nil {
		return 0, nil, err
	}
	events, err := t.clearReference(assigned, goneReference{"assigneeId", from.UserID, func(s *store.Slice) error {
		s.AssigneeID = nil
		return tx.UpdateSlice(s)
	}})
	return len(assigned), events, err
}

// unassignFormer takes a user who is no member any more off some slices, and publishes that. It returns jobBatch
// while there may be others.
func (t *Tracker) unassignFormer(tx *access.Tx) (int, error) {
	former, err := tx.LockFormerAssignee()
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, events, err := t.unassign(tx, former)
	if err == nil && n == 0 {
		err = tx.DeleteFormerAssignee(former)
	}
	if err != nil {
		return 0, err
	}
	return jobBatch, t.publishAsSystem(tx, former.WorkspaceID, events)
}
