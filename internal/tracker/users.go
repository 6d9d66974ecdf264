package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// ChangeUserRole changes the role of a user in the organisation. The caller must manage the user, and may give no role above its
// own. The last owner stays.
func (t *Tracker) ChangeUserRole(ctx context.Context, s Session, userID string, role api.Role) error {
	if err := s.Caller.Allow(api.OpChangeUserRole); err != nil {
		return err
	}
	if role != api.RoleOwner && role != api.RoleAdmin && role != api.RoleMember {
		return api.InvalidMember("/role", "unknown", "the role in an organisation must be owner, admin or member")
	}
	return access.Change(ctx, t.access, s.Caller, api.OpChangeUserRole, func(tx *access.Tx, c access.Caller) error {
		u, err := managedUser(tx, c, userID)
		if err != nil || u.Role == role {
			return err
		}
		self, err := tx.User(c.ID)
		if err != nil {
			return err
		}
		if !givesRole(self, role) {
			return errManagersOnly
		}
		previous := u.Role
		u.Role = role
		if err := tx.SetOrganizationRole(u.ID, role); err != nil {
			return err
		}
		e := event{api.EventUserRoleChanged, u.ID, userSubject(u), map[string]any{"role": previous}}
		return errors.Join(t.recordAudit(tx, c, e), checkOthersRemain(tx, u, nil))
	})
}

// DisableAccount ends the sessions and the PATs of a user at once. The last owner of an organisation and the last admin of a
// workspace stay. The caller must manage the user.
func (t *Tracker) DisableAccount(ctx context.Context, s Session, userID string) error {
	return t.changeUser(ctx, s, api.OpDisableUser, userID, t.disableUser)
}

// EnableAccount lets a disabled user in again. The caller must manage the user.
func (t *Tracker) EnableAccount(ctx context.Context, s Session, userID string) error {
	return t.changeUser(ctx, s, api.OpEnableUser, userID, t.enableUser)
}

// RemoveUser ends the memberships of a user, revokes its PATs and disables it. The last owner of an organisation and the last admin
// of a workspace stay. The caller must manage the user, or be the user.
func (t *Tracker) RemoveUser(ctx context.Context, s Session, userID string) error {
	if err := s.Caller.Allow(api.OpRemoveUser); err != nil {
		return err
	}
	return access.Change(ctx, t.access, s.Caller, api.OpRemoveUser, func(tx *access.Tx, c access.Caller) (err error) {
		var u store.User
		if userID == c.ID {
			u, err = lockColleague(tx, c, userID)
		} else {
			u, err = managedUser(tx, c, userID)
		}
		if err != nil {
			return err
		}
		if err := t.endAccess(tx, c, u); err != nil {
			return err
		}
		return t.recordAudit(tx, c, event{api.EventUserRemoved, u.ID, userSubject(u), nil})
	})
}

// changeUser applies a change to a user whom the caller of a session manages.
func (t *Tracker) changeUser(ctx context.Context, s Session, operation, userID string,
	apply func(*access.Tx, access.Caller, store.User) error,
) error {
	if err := s.Caller.Allow(operation); err != nil {
		return err
	}
	return access.Change(ctx, t.access, s.Caller, operation, func(tx *access.Tx, c access.Caller) error {
		u, err := managedUser(tx, c, userID)
		if err != nil {
			return err
		}
		return apply(tx, c, u)
	})
}

// DisableUser is Tracker.DisableAccount.
func (tx *OperatorTx) DisableUser(u store.User) error { return tx.t.disableUser(tx.Tx, tx.c, u) }

// EnableUser is Tracker.EnableAccount.
func (tx *OperatorTx) EnableUser(u store.User) error { return tx.t.enableUser(tx.Tx, tx.c, u) }

func (t *Tracker) disableUser(tx *access.Tx, c access.Caller, u store.User) error {
	administered, err := tx.WorkspaceIDsOf(u.ID, api.RoleAdmin)
	if err != nil {
		return err
	}
	now := t.clock()
	if err := tx.SetDisabled(u.ID, &now); err != nil {
		return err
	}
	if err := checkOthersRemain(tx, u, administered); err != nil {
		return err
	}
	return t.recordAudit(tx, c, event{api.EventUserDisabled, u.ID, userSubject(u), nil})
}

func (t *Tracker) enableUser(tx *access.Tx, c access.Caller, u store.User) error {
	if u.ErasedAt != nil {
		return api.NotFound("user")
	}
	if err := tx.SetDisabled(u.ID, nil); err != nil {
		return err
	}
	return t.recordAudit(tx, c, event{api.EventUserEnabled, u.ID, userSubject(u), nil})
}

// endAccess ends the memberships, the keys, the sessions and the invitations of a user, and disables it.
func (t *Tracker) endAccess(tx *access.Tx, c access.Caller, u store.User) error {
	memberships, err := tx.MembershipsOf(u.ID)
	if err != nil {
		return err
	}
	var administered []string
	for _, m := range memberships {
		if m.Role == api.RoleAdmin {
			administered = append(administered, m.WorkspaceID)
		}
		if err := t.endMembership(tx, c, m.WorkspaceID, u); err != nil {
			return err
		}
	}
	if err := t.endCredentials(tx, c, u); err != nil {
		return err
	}
	return checkOthersRemain(tx, u, administered)
}

// endCredentials revokes the PATs of a user, deletes its sessions, its link to reset the password and its invitations, and disables
// it.
func (t *Tracker) endCredentials(tx *access.Tx, c access.Caller, u store.User) error {
	keys, err := tx.KeysOf(u.ID)
	if err != nil {
		return err
	}
	now := t.clock()
	for _, k := range keys {
		if err := tx.RevokeKey(k.ID, now); err != nil {
			return err
		}
		if err := t.publishKey(tx, c, k, api.EventKeyRevoked); err != nil {
			return err
		}
	}
	if err := tx.SetDisabled(u.ID, &now); err != nil {
		return err
	}
	return errors.Join(tx.DeleteSessions(u.ID), tx.DeleteInvitationsOf(u.OrgID, u.ID, u.Email))
}
