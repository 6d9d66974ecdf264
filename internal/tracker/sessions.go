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
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// Client is the browser that a request comes from.
type Client struct {
	Request   access.Request
	Address   netip.Addr
	UserAgent string
	Device    string // the sealed mark of a browser that has signed in before; empty without one
}

// NewSession is a session that was opened or rotated. Its secrets go into cookies and nowhere else.
type NewSession struct {
	Token     string
	ExpiresAt time.Time // absolute
	Device    string    // the sealed mark of this browser
}

// Session is who is signed in. The caller alone carries authority.
type Session struct {
	ID      string
	Caller  access.Caller
	Role    api.Role // in the organisation
	Profile Profile
}

// OpenSession is a row of the list of sessions.
type OpenSession struct {
	ID         string
	Device     string // the browser and its system, as far as the user agent names them
	Handheld   bool   // whether the system is one of phones or tablets
	Address    string
	Current    bool
	CreatedAt  api.Time
	LastUsedAt api.Time
}

// SetupFields is the input of the first run. The workspace gets the time zone, or UTC.
type SetupFields struct{ Organization, Email, Password, TimeZone string }

// Founded is what the first run has created. Its secrets are shown once.
type Founded struct {
	Session NewSession
	Key     api.NewKey
}

// Session returns the session of a token. It refuses an unknown or ended one as unauthorized.
func (t *Tracker) Session(ctx context.Context, from Client, text string) (Session, error) {
	c, cred, err := t.access.AuthenticateSession(ctx, text)
	if err != nil {
		return Session{}, err
	}
	c.Request = from.Request
	if now := t.clock(); now.Sub(cred.LastUsedAt.Time) >= time.Minute {
		t.sessionUsage.record(cred.ID, now)
	}
	return Session{ID: cred.ID, Caller: c, Role: cred.User.Role, Profile: profileOf(cred.User)}, nil
}

// ListSessions returns the sessions of the user that have not ended, the one that was used last first.
func (t *Tracker) ListSessions(ctx context.Context, s Session) ([]OpenSession, error) {
	if err := s.Caller.Allow(api.OpListSessions); err != nil {
		return nil, err
	}
	own, _ := s.Caller.Credential.(access.SessionCredential)
	rows, err := t.access.Read(ctx).Sessions(s.Caller.ID)
	var all []OpenSession
	for _, r := range rows {
		if t.now().Before(t.sessionLimits.End(r)) {
			all = append(all, OpenSession{ID: r.ID, Device: describeDevice(r.UserAgent), Handheld: isHandheld(r.UserAgent),
				Address: r.ClientAddress, Current: r.ID == own.ID, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt})
		}
	}
	return all, err
}

// SignOut ends the session itself.
func (t *Tracker) SignOut(ctx context.Context, s Session) error {
	own, _ := s.Caller.Credential.(access.SessionCredential)
	return t.EndSession(ctx, s, own.ID)
}

// EndSession ends a session of the user.
func (t *Tracker) EndSession(ctx context.Context, s Session, sessionID string) error {
	return access.Change(ctx, t.access, s.Caller, api.OpEndSession, func(tx *access.Tx, c access.Caller) error {
		return t.endSession(tx, c, sessionID)
	})
}

// EndOtherSessions ends the sessions of the user but this one.
func (t *Tracker) EndOtherSessions(ctx context.Context, s Session) error {
	return access.Change(ctx, t.access, s.Caller, api.OpEndOtherSessions, t.endOtherSessions)
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
	return t.recordAudit(tx, c, event{api.EventSessionEnded, sessionID, subject, nil})
}

// openSession opens a session of a user who has proved the password, in a transaction that has locked the user.
func (t *Tracker) openSession(tx *access.Tx, u store.User, from Client) (NewSession, error) {
	text, now := newSessionToken(), t.clock()
	s := store.Session{ID: id.New(id.Session), UserID: u.ID, CreatedAt: now, LastUsedAt: now, ProvedAt: now,
		UserAgent: cleanUserAgent(from.UserAgent), ClientAddress: from.Request.ClientAddress}
	if err := tx.InsertSession(s, token.Hash(text)); err != nil {
		return NewSession{}, err
	}
	c := callerOf(u, from.Request)
	c.Credential = access.SessionCredential{ID: s.ID}
	opened := NewSession{Token: text, ExpiresAt: now.Add(t.sessionLimits.Lifetime), Device: t.markDevice(from.Device, u)}
	return opened, t.recordAudit(tx, c, event{api.EventUserSignedIn, u.ID, userSubject(u), nil})
}

// rotateSession gives the session of a caller, who has proved the password, another token, and marks the browser.
func (t *Tracker) rotateSession(tx *access.Tx, c access.Caller, from Client) (NewSession, error) {
	own, ok := c.Credential.(access.SessionCredential)
	if !ok {
		return NewSession{}, access.ErrNoCredential
	}
	u, err := tx.User(c.ID)
	if err != nil {
		return NewSession{}, err
	}
	text := newSessionToken()
	rotated := NewSession{Token: text, ExpiresAt: own.CreatedAt.Add(t.sessionLimits.Lifetime), Device: t.markDevice(from.Device, u)}
	return rotated, tx.RotateSession(own.ID, token.Hash(text), t.clock())
}

// newSessionToken returns 32 random bytes as text.
func newSessionToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// userSubject is a user as the audit log shows it.
func userSubject(u store.User) map[string]any {
	return map[string]any{"id": u.ID, "name": u.Name, "email": u.Email, "role": u.Role}
}

// callerOf returns a user as the caller of events, without a right.
func callerOf(u store.User, r access.Request) access.Caller {
	p := access.Principal{Type: access.UserCaller, ID: u.ID}
	return access.Caller{Principal: p, Organization: api.OrganizationRef{ID: u.OrgID}, Request: r}
}
