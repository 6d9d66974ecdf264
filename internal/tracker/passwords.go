package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/password"
)

// ChangePassword replaces the password, ends the other sessions and rotates this one. The current password is the proof
// that the change needs; a user without one sets a password after another proof. Its faults name /currentPassword and
// /newPassword.
func (t *Tracker) ChangePassword(ctx context.Context, c access.Caller, v input.Valid[api.ChangePassword]) (
	NewSession, error,
) {
	in, err := v.Value(c.Allow(api.OpChangePassword))
	if err != nil {
		return NewSession{}, err
	}
	u, err := t.access.Read(ctx).User(c.ID)
	if err != nil {
		return NewSession{}, err
	}
	if u.PasswordHash != "" {
		u, _, err = t.proveAgain(ctx, c, api.Proof{Password: in.Body.CurrentPassword})
	}
	if errors.Is(err, errWrongSignIn) {
		return NewSession{}, api.InvalidMember("/currentPassword", "wrong", "this is not your password")
	} else if err != nil {
		return NewSession{}, err
	}
	hash, err := t.passwords.Hash(ctx, in.Body.NewPassword)
	if err != nil {
		return NewSession{}, NewPasswordProblem(err, "/newPassword")
	}
	return access.Write(ctx, t.access, c, api.OpChangePassword,
		func(tx *access.Tx, c access.Caller) (NewSession, error) {
			tx.NeedsProof(u.PasswordHash == "")
			return t.setPassword(tx, c, hash, in.Body.Device,
				event{Type: api.EventUserPasswordChanged, ID: u.ID, Subject: userSubject(u)})
		})
}

// setPassword replaces the hash of the password of the caller, ends its other sessions and rotates this one.
func (t *Tracker) setPassword(tx *access.Tx, c access.Caller, hash, device string, e event) (NewSession, error) {
	own, _ := c.Credential.(access.SessionCredential)
	if err := errors.Join(tx.SetPassword(c.ID, hash), tx.DeleteOtherSessions(c.ID, own.ID)); err != nil {
		return NewSession{}, err
	}
	rotated, err := t.rotateSession(tx, c, device)
	if err != nil {
		return NewSession{}, err
	}
	return rotated, t.recordAudit(tx, c, e)
}

// NewPasswordProblem turns an error of HashPassword into a problem of a member.
func NewPasswordProblem(err error, pointer string) error {
	if errors.Is(err, password.ErrShort) || errors.Is(err, password.ErrLong) {
		return api.InvalidMember(pointer, "length", err.Error())
	}
	return busyProblem(err)
}

// RemovePassword removes the password of the caller, who signs in with passkeys then, ends its other sessions and
// rotates this one.
func (t *Tracker) RemovePassword(ctx context.Context, c access.Caller, v input.Valid[api.RemovePassword]) (
	NewSession, error,
) {
	in, err := v.Value(c.Allow(api.OpRemovePassword))
	if err != nil {
		return NewSession{}, err
	}
	return access.Write(ctx, t.access, c, api.OpRemovePassword,
		func(tx *access.Tx, c access.Caller) (NewSession, error) {
			u, err := tx.LockUser(c.ID)
			if err == nil {
				err = checkPasswordless(tx.Queries, u)
			}
			if err != nil {
				return NewSession{}, err
			}
			return t.setPassword(tx, c, "", in.Body.Device,
				event{Type: api.EventPasswordRemoved, ID: u.ID, Subject: userSubject(u)})
		})
}
