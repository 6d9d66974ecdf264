package tracker

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/netip"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// Client is the browser that a request comes from.
type Client struct {
	Request   access.Request
	Address   netip.Addr
	UserAgent string
	Device    string // the sealed mark of a browser that has signed in before; empty without one
	Step      string // the token of a sign-in that waits for the second factor, or of the page to sign in; empty without one
}

// NewSession is that of the contract.
type NewSession = api.NewSession

// Session is who is signed in. The caller alone carries authority.
type Session struct {
	ID      string
	Lacks   bool // a second factor, which the organisation requires: it may set one up, and do nothing else
	Caller  access.Caller
	Role    api.Role // in the organisation
	Profile Profile

	AtProvider  bool // whether it began at the provider of the organisation
	HasPassword bool // whether the user can prove a password
}

// SetupFields is the input of the first run. The workspace gets the time zone, or UTC.
type SetupFields struct{ Organization, Name, Email, Password, TimeZone string }

// Founded is what the first run has created. Its secrets are shown once.
type Founded struct {
	Session NewSession
	Key     api.NewKey
}

// Session returns the session of a token. It refuses an unknown or ended one as unauthorized, and asks the provider at which
// it began when that is due.
func (t *Tracker) Session(ctx context.Context, from Client, text string) (Session, error) {
	c, cred, err := t.access.AuthenticateSession(ctx, text)
	if err != nil {
		return Session{}, err
	}
	if err := t.refreshSession(ctx, from.Request, cred); err != nil {
		return Session{}, err
	}
	c.Request = from.Request
	if now := t.clock(); now.Sub(cred.LastUsedAt.Time) >= time.Minute {
		t.sessionUsage.record(cred.ID, now)
	}
	own, _ := c.Credential.(access.SessionCredential)
	return Session{ID: cred.ID, Lacks: own.LacksFactor(), Caller: c, Role: cred.User.Role, Profile: profileOf(cred.User),
		AtProvider: cred.RefreshAt != nil, HasPassword: cred.User.PasswordHash != "" && (!cred.PasswordsOff || cred.EndsAt != nil)}, nil
}

// ListSessions returns the sessions of the user that have not ended, the most recently used first.
func (t *Tracker) ListSessions(ctx context.Context, c access.Caller, v input.Valid[api.ListSessions]) (
	all api.Page[api.OpenSession], _ error,
) {
	if _, err := v.Value(c.Allow(api.OpListSessions)); err != nil {
		return all, err
	}
	own, _ := c.Credential.(access.SessionCredential)
	rows, err := t.access.Read(ctx).Sessions(c.ID)
	for _, r := range rows {
		if t.now().Before(t.sessionLimits.End(r)) {
			all.Data = append(all.Data, api.OpenSession{ID: r.ID, Device: describeDevice(r.UserAgent),
				Handheld: isHandheld(r.UserAgent),
				Address:  r.ClientAddress, Current: r.ID == own.ID, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt})
		}
	}
	return all, err
}

// EndSession ends a session of the user.
func (t *Tracker) EndSession(ctx context.Context, c access.Caller, v input.Valid[api.EndSession]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpEndSession))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpEndSession, func(tx *access.Tx, c access.Caller) error {
		return t.endSession(tx, c, in.SessionID)
	})
}

// EndOtherSessions ends the sessions of the user but this one.
func (t *Tracker) EndOtherSessions(ctx context.Context, c access.Caller, v input.Valid[api.EndOtherSessions]) (
	none api.Nothing, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpEndOtherSessions)); err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpEndOtherSessions, t.endOtherSessions)
}

func (t *Tracker) endOtherSessions(tx *access.Tx, c access.Caller) error {
	own, _ := c.Credential.(access.SessionCredential)
	all, err := tx.Sessions(c.ID)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.ID == own.ID {
			continue
		}
		if err := t.endSession(tx, c, other.ID); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tracker) endSession(tx *access.Tx, c access.Caller, sessionID string) error {
	if err := tx.DeleteSession(c.ID, sessionID); err != nil {
		return access.OrNotFound(err, "session")
	}
	subject := map[string]any{"id": sessionID, "userId": c.ID}
	return t.recordAudit(tx, c, event{Type: api.EventSessionEnded, ID: sessionID, Subject: subject})
}

// openSession opens a session of a user who has proved here who it is, in a transaction that has locked the user. second
// is the second factor that was proved; empty for none. It refuses one whose organisation signs in at its provider alone.
func (t *Tracker) openSession(tx *access.Tx, u store.User, from Client, second string) (NewSession, error) {
	until, err := t.passwordUntil(tx.Queries, u)
	if err != nil {
		return NewSession{}, err
	}
	opened, _, err := t.openSessionAs(tx, u, from, opening{provedAt: t.clock(), endsAt: until, second: second})
	return opened, err
}

// opening is how a session begins.
type opening struct {
	provedAt api.Time
	endsAt   *api.Time // in any case; nil for the limits of sessions alone
	provider string    // at which it begins; empty for none
	second   string    // the second factor that was proved; empty for none
}

func (t *Tracker) openSessionAs(tx *access.Tx, u store.User, from Client, o opening) (NewSession, store.Session, error) {
	text, now := newSessionToken(), t.clock()
	s := store.Session{ID: id.New(id.Session), UserID: u.ID, CreatedAt: now, LastUsedAt: now, ProvedAt: o.provedAt,
		UserAgent: cleanUserAgent(from.UserAgent), ClientAddress: from.Request.ClientAddress, SecondFactor: o.second, EndsAt: o.endsAt}
	if err := tx.InsertSession(s, token.Hash(text)); err != nil {
		return NewSession{}, s, err
	}
	c := callerOf(u, from.Request)
	c.Credential = access.SessionCredential{ID: s.ID}
	removed, err := tx.Factors().TakeRemoval(u.ID)
	if err != nil {
		return NewSession{}, s, err
	}
	opened := NewSession{Token: text, ExpiresAt: now.Add(t.sessionLimits.Lifetime),
		Device: t.markDevice(from.Device, u), FactorsRemoved: removed}
	subject := factorSubject(u, o.second)
	if o.provider != "" {
		subject["provider"] = o.provider
	}
	return opened, s, t.recordAudit(tx, c, event{Type: api.EventUserSignedIn, ID: u.ID, Subject: subject})
}

// rotateSession gives the session of a caller, who has proved who it is, another token, and marks the browser,
// which may have a mark.
func (t *Tracker) rotateSession(tx *access.Tx, c access.Caller, device string) (NewSession, error) {
	own, ok := c.Credential.(access.SessionCredential)
	if !ok {
		return NewSession{}, access.ErrNoCredential
	}
	u, err := tx.User(c.ID)
	if err != nil {
		return NewSession{}, err
	}
	text := newSessionToken()
	rotated := NewSession{Token: text, ExpiresAt: own.CreatedAt.Add(t.sessionLimits.Lifetime),
		Device: t.markDevice(device, u)}
	return rotated, tx.RotateSession(own.ID, token.Hash(text), t.clock())
}

// newSessionToken returns 32 random bytes as text.
func newSessionToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// factorSubject is a user with a factor, as the audit log shows them. The factor may be empty.
func factorSubject(u store.User, by string) map[string]any {
	subject := userSubject(u)
	if by != "" {
		subject["factor"] = by
	}
	return subject
}
