package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/openid"
	"bugslice/internal/store"
)

// The times of sessions that began at a provider.
const (
	refreshLease  = 30 * time.Second
	providerGrace = time.Hour // in which a provider that does not answer ends no session
	refreshTime   = 15 * time.Second
)

// The reasons in events of sessions that the service has ended.
const (
	endedByProvider = "provider"
	endedWithout    = "provider_away"
)

// refreshSession asks the provider of a session that is due whether its user may still be signed in. It refuses a
// session that the provider has ended, and one of a provider that has not answered for an hour. Requests of this node wait for
// one answer; those of other nodes are answered meanwhile.
func (t *Tracker) refreshSession(ctx context.Context, from access.Request, cred store.SessionCredential) error {
	if cred.RefreshAt == nil || t.now().Before(cred.RefreshAt.Time) || t.readOnly {
		return nil
	}
	_, err, _ := t.refreshes.Do(cred.ID, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx),
			refreshTime) // a new token is stored also for a browser that left
		defer cancel()
		return nil, t.refreshOnce(ctx, from, cred)
	})
	return err
}

func (t *Tracker) refreshOnce(ctx context.Context, from access.Request, cred store.SessionCredential) error {
	leased, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (bool, error) {
		return tx.Identities().LeaseRefresh(cred.ID, t.clock(), api.At(t.now().Add(refreshLease)))
	})
	if err != nil || !leased {
		return err
	}
	q := t.access.Read(ctx)
	s, err := q.Identities().Session(cred.ID)
	if errors.Is(err, store.ErrNotFound) {
		return access.ErrSessionEnded
	}
	if err != nil {
		return err
	}
	p, settings, err := t.signInProvider(ctx, s.OrgID)
	if err != nil || p.Issuer != s.Issuer { // it was removed, or is another one
		return t.endAtProvider(ctx, from, cred, endedByProvider)
	}
	text, err := t.unseal(refreshPurpose, s.ID, s.Sealed)
	if err != nil {
		return t.endAtProvider(ctx, from, cred, endedWithout)
	}
	person, err := t.openid.Refresh(ctx, settings, text, s.Subject)
	switch {
	case openid.IsEnded(err):
		return t.endAtProvider(ctx, from, cred, endedByProvider)
	case err != nil && t.now().Sub(s.ConfirmedAt.Time) >= providerGrace:
		return t.endAtProvider(ctx, from, cred, endedWithout)
	case err != nil:
		t.log.Warn("a provider did not confirm a session", "organization", s.OrgID, "error", err)
		s.DueAt = api.At(t.now().Add(minRefreshAge))
		return access.SystemChange(ctx, t.authority,
			func(tx *access.Tx) error { return tx.Identities().Refreshed(s) })
	}
	if person.RefreshToken == "" {
		person.RefreshToken = text
	}
	s.Sealed, s.DueAt, s.ConfirmedAt = t.sealRefresh(s.ID, person.RefreshToken), t.nextRefresh(person), t.clock()
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		if err := tx.Identities().Refreshed(s); err != nil {
			return err
		}
		i, err := tx.Queries.Identities().Identity(s.OrgID, s.Issuer, s.Subject)
		if err != nil { // it was unlinked meanwhile, with its sessions
			return nil
		}
		return t.confirmIdentity(tx, from, p, i, person)
	})
}

// endAtProvider ends a session and refuses its request.
func (t *Tracker) endAtProvider(ctx context.Context, from access.Request, cred store.SessionCredential,
	why string) error {
	err := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return t.endProviderSession(tx, from, endedSession{cred.User.OrgID, cred.User.ID, cred.ID, why})
	})
	if err != nil {
		return err
	}
	return access.ErrSessionEnded
}

// endedSession is a session that the service ends, with the reason.
type endedSession struct{ orgID, userID, id, why string }

// endProviderSession deletes a session, which may have ended meanwhile.
func (t *Tracker) endProviderSession(tx *access.Tx, from access.Request, s endedSession) error {
	err := tx.DeleteSession(s.userID, s.id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c := access.System(s.orgID)
	c.Request = from
	return t.recordAudit(tx, c, event{Type: api.EventSessionEnded, ID: s.id,
		Subject: map[string]any{"id": s.id, "userId": s.userID, "reason": s.why}})
}
