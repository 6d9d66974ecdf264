package tracker

import (
	"context"
	"errors"
	"math"
	"net/url"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/openid"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
	"bugslice/internal/token"
)

// The times of sessions that began at a provider.
const (
	maxRefreshAge  = 10 * time.Minute // after which a session that is used asks the provider again
	minRefreshAge  = time.Minute
	refreshLease   = 30 * time.Second
	providerGrace  = time.Hour // in which a provider that does not answer ends no session
	refreshTime    = 15 * time.Second
	refreshPurpose = "refresh token of a provider"
)

// The reasons in events of sessions that the service has ended.
const (
	endedByProvider = "provider"
	endedWithout    = "provider_away"
)

// sealRefresh encrypts a refresh token, which belongs to one session.
func (t *Tracker) sealRefresh(sessionID, text string) string {
	if text == "" {
		return ""
	}
	return t.sealText(refreshPurpose, sessionID, []byte(text))
}

// nextRefresh returns when a session asks the provider again: when the access token has expired, and after ten minutes.
func (t *Tracker) nextRefresh(p openid.Person) api.Time {
	if p.RefreshToken == "" {
		return api.FromMillis(math.MaxInt64 / 2)
	}
	after := maxRefreshAge
	if !p.ExpiresAt.IsZero() {
		after = min(after, max(minRefreshAge, p.ExpiresAt.Sub(t.now())))
	}
	return api.At(t.now().Add(after))
}

// refreshSession asks the provider of a session that is due whether its user may still be signed in. It refuses a
// session that the provider has ended, and one of a provider that has not answered for an hour. Requests of this node wait for
// one answer; those of other nodes are answered meanwhile.
func (t *Tracker) refreshSession(ctx context.Context, from access.Request, cred store.SessionCredential) error {
	if cred.RefreshAt == nil || t.now().Before(cred.RefreshAt.Time) || t.readOnly {
		return nil
	}
	_, err, _ := t.refreshes.Do(cred.ID, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTime) // a new token is stored also for a browser that left
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
	text, err := t.openText(refreshPurpose, s.ID, s.Sealed)
	if err != nil {
		return t.endAtProvider(ctx, from, cred, endedWithout)
	}
	person, err := t.openid.Refresh(ctx, settings, string(text), s.Subject)
	switch {
	case openid.IsEnded(err):
		return t.endAtProvider(ctx, from, cred, endedByProvider)
	case err != nil && t.now().Sub(s.ConfirmedAt.Time) >= providerGrace:
		return t.endAtProvider(ctx, from, cred, endedWithout)
	case err != nil:
		t.log.Warn("a provider did not confirm a session", "organization", s.OrgID, "error", err)
		s.DueAt = api.At(t.now().Add(minRefreshAge))
		return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error { return tx.Identities().Refreshed(s) })
	}
	if person.RefreshToken == "" {
		person.RefreshToken = string(text)
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
func (t *Tracker) endAtProvider(ctx context.Context, from access.Request, cred store.SessionCredential, why string) error {
	err := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return t.endProviderSession(tx, from, cred.User.OrgID, cred.User.ID, cred.ID, why)
	})
	if err != nil {
		return err
	}
	return access.ErrSessionEnded
}

// endProviderSession deletes a session, which may have ended meanwhile.
func (t *Tracker) endProviderSession(tx *access.Tx, from access.Request, orgID, userID, sessionID, why string) error {
	err := tx.DeleteSession(userID, sessionID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c := access.System(orgID)
	c.Request = from
	return t.recordAudit(tx, c, event{Type: api.EventSessionEnded, ID: sessionID,
		Subject: map[string]any{"id": sessionID, "userId": userID, "reason": why}})
}

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
func (t *Tracker) endSessionsOf(tx *access.Tx, from access.Request, p identities.Provider, subject, sid string) error {
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
			err = t.endProviderSession(tx, from, p.OrgID, i.UserID, s.ID, endedByProvider)
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

// FrameOf returns the origin of the provider whose pages may have the frame of EndInFrame, empty for none.
func (t *Tracker) FrameOf(ctx context.Context, orgID string) string {
	p, err := t.access.Read(ctx).Identities().Provider(orgID)
	if err != nil {
		return ""
	}
	u, err := url.Parse(p.Issuer)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

var errNoPasswords = refuseSignIn("no_passwords", "Your organisation signs in at its provider alone. Passwords do not open an account here.")

// passwordUntil refuses a user of an organisation that signs in at its provider alone, unless the operator has set the
// password lately: then it returns until when. It returns nil where passwords work.
func (t *Tracker) passwordUntil(q access.Queries, u store.User) (*api.Time, error) {
	p, err := providerOf(q, u.OrgID)
	if err != nil || !p.PasswordsOff {
		return nil, err
	}
	until, err := q.Identities().PasswordUntil(u.ID)
	if err == nil && (until == nil || !t.now().Before(until.Time)) {
		err = errNoPasswords
	}
	return until, err
}

// OperatorPasswordLifetime is the time for which a password that the operator has set opens an account of an organisation
// that signs in at its provider alone.
const OperatorPasswordLifetime = 24 * time.Hour

// LetPassword lets a user sign in with the password for a day where the organisation has none, and reports whether it has
// none.
func (tx *OperatorTx) LetPassword(u store.User) (limited bool, err error) {
	p, err := providerOf(tx.Queries, u.OrgID)
	if err != nil || !p.PasswordsOff {
		return false, err
	}
	return true, tx.Identities().SetPasswordUntil(u.ID, api.At(tx.t.now().Add(OperatorPasswordLifetime)))
}
