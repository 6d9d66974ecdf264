package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
	"bugslice/internal/token"
)

// LinkIdentity links the account of the user with who the user has just been at the provider. A user who manages people
// has thereby tried the settings of the provider.
func (t *Tracker) LinkIdentity(ctx context.Context, c access.Caller, v input.Valid[api.LinkIdentity]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpLinkIdentity))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpLinkIdentity, func(tx *access.Tx, c access.Caller) error {
		u, p, confirmed, err := t.confirmedHere(tx, c, in.Body.Sealed, ToLink)
		if err != nil {
			return err
		}
		i, err := tx.Queries.Identities().IdentityOf(u.ID, p.Issuer)
		if errors.Is(err, store.ErrNotFound) {
			i, err = t.link(tx, c, u, p, confirmed.Person)
		} else if err == nil && i.Subject != confirmed.Person.Subject {
			err = refuseSignIn("linked", "Your account is linked with another one at the provider.")
		}
		if err != nil || !managesPeople(u.Role) {
			return err
		}
		now := t.clock()
		p.TriedAt = &now
		return tx.Identities().PutProvider(p)
	})
}

// confirmedHere returns the user of a session, the provider, and what it has confirmed for that session.
func (t *Tracker) confirmedHere(tx *access.Tx, c access.Caller, sealed, purpose string) (
	u store.User, p identities.Provider, confirmed confirmation, err error,
) {
	if u, err = tx.LockUser(c.ID); err == nil {
		p, err = tx.Queries.Identities().Provider(u.OrgID)
	}
	if err != nil {
		return u, p, confirmed, access.OrNotFound(err, "provider")
	}
	confirmed, err = t.openConfirmation(u.OrgID, sealed, purpose)
	own, _ := c.Credential.(access.SessionCredential)
	if err == nil && (confirmed.SessionID != own.ID || confirmed.Issuer != p.Issuer) {
		err = errAnswerExpired
	}
	return u, p, confirmed, err
}

// ProveAtProvider records that the user has just signed in at the provider anew, as who the account is linked with, and
// rotates the session.
func (t *Tracker) ProveAtProvider(ctx context.Context, c access.Caller, v input.Valid[api.ProveAtProvider]) (
	NewSession, error,
) {
	in, err := v.Value(c.Allow(api.OpProveAtProvider))
	if err != nil {
		return NewSession{}, err
	}
	return access.Write(ctx, t.access, c, api.OpProveAtProvider, func(tx *access.Tx, c access.Caller) (NewSession,
		error) {
		u, p, confirmed, err := t.confirmedHere(tx, c, in.Body.Sealed, ToProve)
		if err != nil {
			return NewSession{}, err
		}
		i, err := tx.Queries.Identities().IdentityOf(u.ID, p.Issuer)
		if errors.Is(err, store.ErrNotFound) || err == nil && i.Subject != confirmed.Person.Subject {
			err = refuseSignIn("other", "At the provider you signed in as somebody else than here.")
		}
		if err != nil {
			return NewSession{}, err
		}
		if err := tx.Identities().UseOnce(token.Hash("proof "+in.Body.Sealed),
			api.At(confirmed.ExpiresAt)); err != nil {
			return NewSession{}, errAnswerExpired
		}
		rotated, err := t.rotateSession(tx, c, in.Body.Device)
		if err != nil {
			return NewSession{}, err
		}
		return rotated, t.recordAudit(tx, c, event{Type: api.EventUserProviderProved, ID: u.ID,
			Subject: userSubject(u)})
	})
}

// LinkSignIn links the account of a person whom a provider has confirmed with the same address, after a proof of the
// password, and opens a session; the second factor of the account is asked for before, as at every sign-in. It refuses a
// wrong password as SignIn does.
func (t *Tracker) LinkSignIn(ctx context.Context, from Client, orgID, sealed, password string) (NewSession, error) {
	confirmed, err := t.openConfirmation(orgID, sealed, ToSignIn)
	if err != nil {
		return NewSession{}, err
	}
	u, err := t.access.Read(ctx).User(confirmed.UserID)
	if err != nil {
		return NewSession{}, err
	}
	limits := t.signInLimits.ofStranger(from.Address, token.Hash(u.Email))
	if mark, ok := t.deviceMark(from.Device, u); ok {
		limits = t.signInLimits.ofBrowser(mark.id)
	}
	shown, err := t.prove(ctx, attempt{user: u, limits: limits, request: from.Request, proof: passwordProof(password),
		why: WrongPassword})
	if err != nil {
		return NewSession{}, err
	}
	entered, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (e entry, err error) {
		if err := shown.use(tx); err != nil {
			return e, err
		}
		current, err := lockUnchanged(tx, u)
		if err != nil {
			return e, err
		}
		p, err := tx.Queries.Identities().Provider(orgID)
		switch {
		case err != nil:
			return e, access.OrNotFound(err, "provider")
		case current.OrgID != p.OrgID:
			return e, errWrongSignIn
		case p.Issuer != confirmed.Issuer || current.Email != confirmed.Person.Email:
			return e, errAnswerExpired
		}
		return t.admitAtProvider(tx, from, current, p, confirmation{Person: confirmed.Person, Link: true})
	})
	return entered.result(err)
}
