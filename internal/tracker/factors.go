package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/store/factors"
)

// The codes of the faults of changes to factors that are refused.
const (
	FaultLastWayIn      = "last_way_in"     // the user could not sign in any more
	FaultFactorRequired = "factor_required" // the organisation requires a second factor
	FaultNoFactor       = "no_factor"       // the user has no second factor
)

// ListFactors returns the ways in which the caller proves who it is.
func (t *Tracker) ListFactors(ctx context.Context, c access.Caller, v input.Valid[api.ListFactors]) (
	all api.Factors, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpListFactors)); err != nil {
		return all, err
	}
	q := t.access.Read(ctx)
	u, err := q.User(c.ID)
	if err != nil {
		return all, err
	}
	has, err := q.Factors().Counts(u.ID)
	if err != nil {
		return all, err
	}
	all.Password, all.RecoveryCodes, all.Address = u.PasswordHash != "", has.RecoveryCodes, t.passkeys != nil
	if has.Authenticators > 0 {
		a, err := q.Factors().Authenticator(u.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return all, err
		}
		if err == nil {
			all.Authenticator = &a.CreatedAt
		}
	}
	passkeys, err := q.Factors().Passkeys(u.ID)
	if err != nil {
		return all, err
	}
	all.Passkeys = convert(passkeys, func(p factors.Passkey) api.Passkey {
		return api.Passkey{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, LastUsedAt: p.LastUsedAt}
	})
	all.Required, err = q.Factors().Required(u.OrgID)
	return all, err
}

// BeginAuthenticator returns a new key for an authenticator app of the caller. Nothing is stored before a code confirms
// it.
func (t *Tracker) BeginAuthenticator(ctx context.Context, c access.Caller, v input.Valid[api.BeginAuthenticator]) (
	api.NewAuthenticator, error,
) {
	if _, err := v.Value(c.Allow(api.OpBeginAuthenticator)); err != nil {
		return api.NewAuthenticator{}, err
	}
	key := factor.NewKey()
	return access.Write(ctx, t.access, c, api.OpBeginAuthenticator,
		func(_ *access.Tx, c access.Caller) (api.NewAuthenticator, error) {
			return t.newAuthenticator(c, key), nil
		})
}

func (t *Tracker) newAuthenticator(c access.Caller, key string) api.NewAuthenticator {
	return api.NewAuthenticator{Key: key, Address: factor.KeyURI(key, "Bugslice", c.Email), State: t.seal(authenticatorPurpose, c.ID, key)}
}

// ConfirmAuthenticator stores the key of an authenticator app of the caller, in place of a former one, when a code of it
// is right. Its fault names /code.
func (t *Tracker) ConfirmAuthenticator(ctx context.Context, c access.Caller, v input.Valid[api.ConfirmAuthenticator]) (
	api.AddedFactor, error,
) {
	in, err := v.Value(c.Allow(api.OpConfirmAuthenticator))
	if err != nil {
		return api.AddedFactor{}, err
	}
	key, err := t.unseal(authenticatorPurpose, c.ID, in.Body.State)
	if err != nil {
		return api.AddedFactor{}, api.InvalidMember("/state", "wrong", "begin again: the key is not known")
	}
	step, ok := factor.Match(key, in.Body.Code, t.now(), 0)
	if !ok {
		return api.AddedFactor{}, api.InvalidMember("/code", "wrong", "this is not the code that the app shows now")
	}
	return access.Write(ctx, t.access, c, api.OpConfirmAuthenticator,
		func(tx *access.Tx, c access.Caller) (api.AddedFactor, error) {
			return t.addFactor(tx, c, newFactor{by: ByAuthenticator, device: in.Body.Device, add: func() error {
				return tx.Factors().PutAuthenticator(c.ID, factors.Authenticator{Sealed: in.Body.State, UsedStep: step,
					CreatedAt: t.clock()})
			}})
		})
}

// NewAuthenticatorOf returns the key of a ConfirmAuthenticator that was refused, to show it again.
func (t *Tracker) NewAuthenticatorOf(c access.Caller, state string) (api.NewAuthenticator, error) {
	if err := c.Allow(api.OpBeginAuthenticator); err != nil {
		return api.NewAuthenticator{}, err
	}
	key, err := t.unseal(authenticatorPurpose, c.ID, state)
	if err != nil {
		return api.NewAuthenticator{}, api.NotFound("authenticator")
	}
	return t.newAuthenticator(c, key), nil
}

// newFactor is a second factor that the caller adds.
type newFactor struct {
	by, name, device string
	add              func() error
}

// addFactor adds a second factor of the caller, and rotates its session, in which the factor is proved. With the first
// one, the other sessions end, which nothing but a password has opened, and the user gets recovery codes.
func (t *Tracker) addFactor(tx *access.Tx, c access.Caller, n newFactor) (added api.AddedFactor, err error) {
	own, ok := c.Credential.(access.SessionCredential)
	if !ok {
		return added, access.ErrNoCredential
	}
	u, err := tx.LockUser(c.ID)
	if err != nil {
		return added, err
	}
	had, err := tx.Factors().Counts(u.ID)
	if err != nil {
		return added, err
	}
	if err := n.add(); err != nil {
		return added, err
	}
	if !had.HasSecond() {
		if err := tx.DeleteOtherSessions(u.ID, own.ID); err != nil {
			return added, err
		}
	}
	if had.RecoveryCodes == 0 {
		if added.RecoveryCodes, err = t.replaceCodes(tx, u); err != nil {
			return added, err
		}
	}
	if err := tx.Factors().ProveSession(own.ID, n.by); err != nil {
		return added, err
	}
	if added.Session, err = t.rotateSession(tx, c, n.device); err != nil {
		return added, err
	}
	subject := factorSubject(u, n.by)
	if n.name != "" {
		subject["passkey"] = n.name
	}
	return added, t.recordAudit(tx, c, event{Type: api.EventFactorAdded, ID: u.ID, Subject: subject})
}

// replaceCodes replaces the recovery codes of a user.
func (t *Tracker) replaceCodes(tx *access.Tx, u store.User) ([]string, error) {
	codes := factor.NewRecoveryCodes()
	return codes, tx.Factors().ReplaceRecoveryCodes(u.ID,
		convert(codes, func(code string) string { return factor.RecoveryHash(u.ID, code) }))
}

// ReplaceRecoveryCodes returns new recovery codes of the caller. The former ones stop working.
func (t *Tracker) ReplaceRecoveryCodes(ctx context.Context, c access.Caller, v input.Valid[api.ReplaceRecoveryCodes]) (
	api.RecoveryCodes, error,
) {
	if _, err := v.Value(c.Allow(api.OpReplaceRecoveryCodes)); err != nil {
		return api.RecoveryCodes{}, err
	}
	return access.Write(ctx, t.access, c, api.OpReplaceRecoveryCodes,
		func(tx *access.Tx, c access.Caller) (made api.RecoveryCodes, err error) {
			u, err := tx.LockUser(c.ID)
			if err != nil {
				return made, err
			}
			has, err := tx.Factors().Counts(u.ID)
			if err == nil && !has.HasSecond() {
				err = conflictOf(FaultNoFactor, "Recovery codes replace a second factor. Set one up first.")
			}
			if err != nil {
				return made, err
			}
			if made.Codes, err = t.replaceCodes(tx, u); err != nil {
				return made, err
			}
			return made, t.recordAudit(tx, c, event{Type: api.EventRecoveryCodesMade, ID: u.ID,
				Subject: userSubject(u)})
		})
}

// RemoveAuthenticator removes the authenticator app of the caller.
func (t *Tracker) RemoveAuthenticator(ctx context.Context, c access.Caller, v input.Valid[api.RemoveAuthenticator]) (
	none api.Nothing, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpRemoveAuthenticator)); err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpRemoveAuthenticator, func(tx *access.Tx, c access.Caller) error {
		u, err := tx.LockUser(c.ID)
		if err != nil {
			return err
		}
		if err := tx.Factors().RemoveAuthenticator(u.ID); err != nil {
			return access.OrNotFound(err, "authenticator")
		}
		return t.removedFactor(tx, c, u, ByAuthenticator)
	})
}

// removedFactor records that a factor of a user was removed, in the transaction that has removed it. It refuses to leave
// a user who cannot sign in, and one without a second factor in an organisation that requires one. The recovery codes
// go with the last second factor.
func (t *Tracker) removedFactor(tx *access.Tx, c access.Caller, u store.User, by string) error {
	if u.PasswordHash == "" {
		if err := checkPasswordless(tx.Queries, u); err != nil {
			return err
		}
	}
	has, err := tx.Factors().Counts(u.ID)
	if err != nil {
		return err
	}
	if !has.HasSecond() {
		required, err := tx.Factors().Required(u.OrgID)
		if err == nil && required {
			err = conflictOf(FaultFactorRequired,
				"Your organisation requires a second factor. Add another one before you remove this one.")
		}
		if err != nil {
			return err
		}
		if err := tx.Factors().ReplaceRecoveryCodes(u.ID, nil); err != nil {
			return err
		}
	}
	return t.recordAudit(tx, c, event{Type: api.EventFactorRemoved, ID: u.ID, Subject: factorSubject(u, by)})
}

// checkPasswordless refuses to leave a user without a password who has no passkey that it unlocks, and no link with the
// provider of its organisation.
func checkPasswordless(q access.Queries, u store.User) error {
	all, err := q.Factors().Passkeys(u.ID)
	if err != nil || slices.ContainsFunc(all, func(p factors.Passkey) bool { return factor.IsUnlocked(p.Record) }) {
		return err
	}
	p, err := providerOf(q, u.OrgID)
	if err == nil {
		_, err = q.Identities().IdentityOf(u.ID, p.Issuer)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = conflictOf(FaultLastWayIn, "Nobody could sign in to your account then. It needs a password, a passkey that you "+
			"unlock by a fingerprint, your face or a PIN, or the provider of your organisation.")
	}
	return err
}

// RemoveFactors removes every factor of another user but the password, and ends its sessions. The user is told when it
// signs in next. The caller must manage the user.
func (t *Tracker) RemoveFactors(ctx context.Context, c access.Caller, v input.Valid[api.RemoveFactors]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpRemoveFactors))
	if err != nil {
		return none, err
	}
	return none, t.changeUser(ctx, c, api.OpRemoveFactors, in.UserID,
		func(tx *access.Tx, c access.Caller, u store.User) error {
			if u.ID == c.ID {
				return api.NewProblem(api.CodeForbidden, "Remove your own factors on the page Security.")
			}
			return t.removeFactors(tx, c, u)
		})
}

// RemoveFactors is that of the Tracker.
func (tx *OperatorTx) RemoveFactors(u store.User) error { return tx.t.removeFactors(tx.Tx, tx.c, u) }

func (t *Tracker) removeFactors(tx *access.Tx, c access.Caller, u store.User) error {
	if err := errors.Join(tx.Factors().RemoveAll(u.ID), tx.DeleteSessions(u.ID),
		tx.Factors().NoteRemoval(u.ID, t.clock())); err != nil {
		return err
	}
	return t.recordAudit(tx, c, event{Type: api.EventFactorRemoved, ID: u.ID, Subject: factorSubject(u, "all")})
}
