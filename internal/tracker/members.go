package tracker

import (
	"context"
	"errors"
	"fmt"

	"bugslice/api"
	"bugslice/internal/store"
)

// PutMember makes a user of the organisation a member of a workspace, or changes its role there.
func (o OrganizationOperator) PutMember(ctx context.Context, workspaceID, userID string, role api.Role) error {
	return change(o.t, ctx, o.c, "", func(tx *store.Tx, c Caller) error { return o.t.putMember(tx, c, workspaceID, userID, role) })
}

// putMember makes a user of the organisation a member of a workspace, or changes the role of a member. It refuses to take the
// workspace its last admin. A role that the user has already changes nothing.
func (t *Tracker) putMember(tx *store.Tx, c Caller, workspaceID, userID string, role api.Role) error {
	if err := c.requireAdmin(tx.Queries, workspaceID); err != nil {
		return err
	}
	u, err := tx.User(userID)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.OrgID != c.Organization.ID {
		return fmt.Errorf("there is no user %s in this organisation", userID)
	}
	if err != nil {
		return err
	}
	kind := api.EventMemberChanged
	current, err := tx.Role(workspaceID, userID)
	if errors.Is(err, store.ErrNotFound) {
		kind, err = api.EventMemberAdded, nil
	}
	if err != nil || current == role {
		return err
	}
	if err := tx.PutMember(workspaceID, userID, role, t.clock()); err != nil {
		return err
	}
	if err := t.publish(tx, c, workspaceID, memberEvent(kind, u, role)); err != nil {
		return err
	}
	return checkLastAdmin(tx.Queries, workspaceID)
}

// RemoveMember ends a membership and unassigns the user from the workspace's slices. The
// last admin stays.
func (o OrganizationOperator) RemoveMember(ctx context.Context, workspaceID, userID string) error {
	t := o.t
	return change(t, ctx, o.c, "", func(tx *store.Tx, c Caller) error {
		if err := c.requireAdmin(tx.Queries, workspaceID); err != nil {
			return err
		}
		role, err := tx.Role(workspaceID, userID)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("user %s is no member of workspace %s", userID, workspaceID)
		}
		if err != nil {
			return err
		}
		u, err := tx.User(userID)
		if err != nil {
			return err
		}
		if err := tx.DeleteMember(workspaceID, userID); err != nil {
			return err
		}
		events, err := t.unassign(tx, workspaceID, userID)
		if err != nil {
			return err
		}
		if err := t.publish(tx, c, workspaceID, append(events, memberEvent(api.EventMemberRemoved, u, role))...); err != nil {
			return err
		}
		if err := checkLastAdmin(tx.Queries, workspaceID); err != nil {
			return err
		}
		return t.checkNoneAssigned(tx.Queries, workspaceID, userID)
	})
}

func memberEvent(what api.EventType, u store.User, role api.Role) event {
	return event{what, u.ID, map[string]any{"userId": u.ID, "name": u.Name, "role": role}, nil}
}

// checkLastAdmin refuses a change, behind the lock on the workspace, that left it without an admin.
func checkLastAdmin(q store.Queries, workspaceID string) error {
	n, err := q.CountAdmins(workspaceID)
	if err == nil && n == 0 {
		err = errors.New("the last admin of a workspace cannot be removed; give it another one first")
	}
	return err
}

// unassign takes a user off the slices of a workspace, in order of id, and returns the events to publish.
func (t *Tracker) unassign(tx *store.Tx, workspaceID, userID string) ([]event, error) {
	assigned, err := tx.SlicesAssigned(workspaceID, userID)
	if err != nil {
		return nil, err
	}
	var events []event
	for _, s := range assigned {
		s.AssigneeID, s.UpdatedAt = nil, maxTime(t.clock(), s.UpdatedAt)
		if err := tx.UpdateSlice(&s); err != nil {
			return nil, err
		}
		if s.DeletedAt == nil {
			events = append(events, updateEvents(s.ID, t.show(s), map[string]any{"assigneeId": userID})...)
		}
	}
	return events, nil
}

// checkNoneAssigned looks again behind the lock on the workspace: an assignment that was
// committed since unassign looked asks for another attempt.
func (t *Tracker) checkNoneAssigned(q store.Queries, workspaceID, userID string) error {
	left, err := q.SlicesAssigned(workspaceID, userID)
	if err == nil && len(left) > 0 {
		err = store.ErrConflict
	}
	return err
}
