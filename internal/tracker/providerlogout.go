package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
	"bugslice/internal/token"
)

// EndByProvider takes a message of a provider that sessions have ended (back-channel logout). It refuses a message that
// is not of the provider of the organisation, that is not of now, and one that came before.
func (t *Tracker) EndByProvider(ctx context.Context, from Client, orgID, message string) error {
	p, settings, err := t.signInProvider(ctx, orgID)
	if err != nil {
		return err
	}
	l, err := t.openid.VerifyLogout(ctx, settings, message)
	if err != nil {
		return providerProblem(err)
	}
	err = access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		if err := tx.Identities().UseOnce(token.Hash("logout "+p.OrgID+" "+l.ID), api.At(l.ExpiresAt)); err != nil {
			return err
		}
		return t.endSessionsOf(tx, from.Request, p, l.Subject, l.SessionID)
	})
	if errors.Is(err, identities.ErrUsed) {
		return refuseSignIn("used", "The message came before.")
	}
	return err
}

// endSessionsOf ends the sessions of a subject, of one session of the provider, or of both.
func (t *Tracker) endSessionsOf(tx *access.Tx, from access.Request, p identities.Provider, subject,
	sid string) error {
	all, err := tx.Queries.Identities().SessionsOf(p.OrgID, p.Issuer, subject, sid)
	if err != nil {
		return err
	}
	for _, s := range all {
		i, err := tx.Queries.Identities().Identity(s.OrgID, s.Issuer, s.Subject)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil {
			err = t.endProviderSession(tx, from, endedSession{p.OrgID, i.UserID, s.ID, endedByProvider})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EndInFrame takes the request of a frame in a page of the provider that a session has ended (front-channel logout). It
// names the issuer and the session, which nobody else knows.
func (t *Tracker) EndInFrame(ctx context.Context, from Client, orgID, issuer, sid string) error {
	p, _, err := t.signInProvider(ctx, orgID)
	if err != nil {
		return err
	}
	if issuer != p.Issuer || len(sid) < 8 {
		return refuseSignIn("provider", "The request does not name the provider and its session.")
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return t.endSessionsOf(tx, from.Request, p, "", sid)
	})
}

// EndAddress returns the address at the provider of an organisation that ends its own session of a browser, empty when it has
// none.
func (t *Tracker) EndAddress(ctx context.Context, orgID, back string) (string, error) {
	_, s, err := t.signInProvider(ctx, orgID)
	if err != nil {
		return "", err
	}
	address, err := t.openid.EndAddress(ctx, s, back)
	if err != nil {
		return "", providerProblem(err)
	}
	return address, nil
}
