package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ChangeUserRole changes the role of a user in the organisation. The caller must manage the user, and may give no
// role above its own. The last owner stays.
func (t *Tracker) ChangeUserRole(ctx context.Context, c access.Caller, v input.Valid[api.ChangeUserRole]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpChangeUserRole))
	if err != nil {
		return none, err
	}
	role := in.Body.Role
	if role != api.RoleOwner && role != api.RoleAdmin && role != api.RoleMember {
		return none, api.InvalidMember("/role", "unknown", "the role in an organisation must be owner, admin or member")
	}
	return none, access.Change(ctx, t.access, c, api.OpChangeUserRole, func(tx *access.Tx, c access.Caller) error {
		u, err := managedUser(tx, c, in.UserID)
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
		e := event{Type: api.EventUserRoleChanged, ID: u.ID, Subject: userSubject(u),
			Previous: map[string]any{"role": previous}}
		return errors.Join(t.recordAudit(tx, c, e), checkOthersRemain(tx, u, nil))
	})
}

// DisableUser ends the sessions of a user at once and revokes the keys that the user has allowed programs to have.
// Other PATs work no more until the user is enabled. The last owner of an organisation and the last admin of a
// workspace stay. The caller must manage the user.
func (t *Tracker) DisableUser(ctx context.Context, c access.Caller, v input.Valid[api.DisableUser]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpDisableUser))
	if err != nil {
		return none, err
	}
	return none, t.changeUser(ctx, c, api.OpDisableUser, in.UserID, t.disableUser)
}

// EnableUser lets a disabled user in again. The caller must manage the user.
func (t *Tracker) EnableUser(ctx context.Context, c access.Caller, v input.Valid[api.EnableUser]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpEnableUser))
	if err != nil {
		return none, err
	}
	return none, t.changeUser(ctx, c, api.OpEnableUser, in.UserID, t.enableUser)
}

// RemoveUser ends the memberships of a user, revokes its PATs and disables it. The last owner of an organisation and
// the last admin of a workspace stay. The caller must manage the user, or be the user.
func (t *Tracker) RemoveUser(ctx context.Context, c access.Caller, v input.Valid[api.RemoveUser]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpRemoveUser))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpRemoveUser, func(tx *access.Tx, c access.Caller) (err error) {
		var u store.User
		if in.UserID == c.ID {
			u, err = lockColleague(tx, c, in.UserID)
		} else {
			u, err = managedUser(tx, c, in.UserID)
		}
		if err != nil {
			return err
		}
		if err := t.endAccess(tx, c, u); err != nil {
			return err
		}
		return t.recordAudit(tx, c, event{Type: api.EventUserRemoved, ID: u.ID, Subject: userSubject(u)})
	})
}

// changeUser applies a change to a user whom the caller manages.
func (t *Tracker) changeUser(ctx context.Context, c access.Caller, operation, userID string,
	apply func(*access.Tx, access.Caller, store.User) error,
) error {
	return access.Change(ctx, t.access, c, operation, func(tx *access.Tx, c access.Caller) error {
		u, err := managedUser(tx, c, userID)
		if err != nil {
			return err
		}
		return apply(tx, c, u)
	})
}

// DisableUser is that of the Tracker.
func (tx *OperatorTx) DisableUser(u store.User) error { return tx.t.disableUser(tx.Tx, tx.c, u) }

// EnableUser is that of the Tracker.
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
	if err := errors.Join(t.endGrants(tx, c, u), checkOthersRemain(tx, u, administered)); err != nil {
		return err
	}
	return t.recordAudit(tx, c, event{Type: api.EventUserDisabled, ID: u.ID, Subject: userSubject(u)})
}

func (t *Tracker) enableUser(tx *access.Tx, c access.Caller, u store.User) error {
	if u.ErasedAt != nil {
		return api.NotFound("user")
	}
	if err := tx.SetDisabled(u.ID, nil); err != nil {
		return err
	}
	return t.recordAudit(tx, c, event{Type: api.EventUserEnabled, ID: u.ID, Subject: userSubject(u)})
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

// endCredentials revokes the PATs of a user and the keys that it has allowed programs to have, deletes its sessions,
// its link to reset the password and its invitations, and disables it.
func (t *Tracker) endCredentials(tx *access.Tx, c access.Caller, u store.User) error {
	keys, err := tx.KeysOf(u.ID)
	if err != nil {
		return err
	}
	now := t.clock()
	for _, k := range keys {
		if err := t.endKey(tx, c, k); err != nil {
			return err
		}
	}
	if err := t.endGrants(tx, c, u); err != nil { // also those of service tokens
		return err
	}
	if err := tx.SetDisabled(u.ID, &now); err != nil {
		return err
	}
	return errors.Join(tx.DeleteSessions(u.ID), tx.DeleteInvitationsOf(u.OrgID, u.ID, u.Email))
}
