package tracker

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/netip"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// Client is the browser that a request comes from.
type Client struct {
	Request   Request
	Address   netip.Addr
	UserAgent string
	Device    string // the sealed mark of a browser that has signed in before; empty without one
}

// NewSession is that of the contract.
type NewSession = api.NewSession

// Session is who is signed in. The caller alone carries authority.
type Session struct {
	ID      string
	Caller  Caller
	Role    api.Role // in the organisation
	Profile Profile
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
	hash := token.Hash(text)
	cred, err := t.store.Read(ctx).SessionCredential(hash)
	if err != nil {
		return Session{}, unknownSession(err)
	}
	now := t.clock()
	c, err := callerOfSession(cred, hash, t.sessionLimits, now)
	if err != nil {
		return Session{}, err
	}
	c.Request, c.requestRoles = from.Request, &requestRoles{}
	if now.Sub(cred.LastUsedAt.Time) >= time.Minute {
		t.sessionUsage.record(cred.ID, now)
	}
	return Session{ID: cred.ID, Caller: c, Role: cred.User.Role, Profile: profileOf(cred.User)}, nil
}

// ListSessions returns the sessions of the user that have not ended, the one that was used last first.
func (t *Tracker) ListSessions(ctx context.Context, c Caller, v input.Valid[api.ListSessions]) (all api.Page[api.OpenSession], _ error) {
	if _, err := v.Value(c.Allow(api.OpListSessions)); err != nil {
		return all, err
	}
	own, _ := c.session()
	rows, err := t.store.Read(ctx).Sessions(c.ID)
	for _, r := range rows {
		if t.now().Before(t.sessionLimits.end(r)) {
			all.Data = append(all.Data, api.OpenSession{ID: r.ID, Device: describeDevice(r.UserAgent), Handheld: isHandheld(r.UserAgent),
				Address: r.ClientAddress, Current: r.ID == own.id, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt})
		}
	}
	return all, err
}

// EndSession ends a session of the user.
func (t *Tracker) EndSession(ctx context.Context, c Caller, v input.Valid[api.EndSession]) (none api.Nothing, _ error) {
	in, err := v.Value(c.Allow(api.OpEndSession))
	if err != nil {
		return none, err
	}
	return none, change(t, ctx, c, api.OpEndSession, func(tx *store.Tx, c Caller) error {
		return t.endSession(tx, c, in.SessionID)
	})
}

// EndOtherSessions ends the sessions of the user but this one.
func (t *Tracker) EndOtherSessions(ctx context.Context, c Caller, v input.Valid[api.EndOtherSessions]) (none api.Nothing, _ error) {
	if _, err := v.Value(c.Allow(api.OpEndOtherSessions)); err != nil {
		return none, err
	}
	return none, change(t, ctx, c, api.OpEndOtherSessions, t.endOtherSessions)
}

func (t *Tracker) endOtherSessions(tx *store.Tx, c Caller) error {
	own, _ := c.session()
	all, err := tx.Sessions(c.ID)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.ID == own.id {
			continue
		}
		if err := t.endSession(tx, c, other.ID); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tracker) endSession(tx *store.Tx, c Caller, sessionID string) error {
	if err := tx.DeleteSession(c.ID, sessionID); err != nil {
		return orNotFound(err, "session")
	}
	subject := map[string]any{"id": sessionID, "userId": c.ID}
	return t.recordAudit(tx, c, event{api.EventSessionEnded, sessionID, subject, nil})
}

// openSession opens a session of a user who has proved the password, in a transaction that has locked the user.
func (t *Tracker) openSession(tx *store.Tx, u store.User, from Client) (NewSession, error) {
	text, now := newSessionToken(), t.clock()
	s := store.Session{ID: id.New(id.Session), UserID: u.ID, CreatedAt: now, LastUsedAt: now, ProvedAt: now,
		UserAgent: cleanUserAgent(from.UserAgent), ClientAddress: from.Request.ClientAddress}
	if err := tx.InsertSession(s, token.Hash(text)); err != nil {
		return NewSession{}, err
	}
	c := Caller{Principal: Principal{Type: UserCaller, ID: u.ID}, Organization: api.OrganizationRef{ID: u.OrgID}, Request: from.Request,
		Credential: sessionCredential{id: s.ID}}
	opened := NewSession{Token: text, ExpiresAt: now.Add(t.sessionLimits.lifetime), Device: t.markDevice(from.Device, u)}
	return opened, t.recordAudit(tx, c, event{api.EventUserSignedIn, u.ID, userSubject(u), nil})
}

// rotateSession gives the session of a caller, who has proved the password, another token, and marks the browser, which may have a mark.
func (t *Tracker) rotateSession(tx *store.Tx, c Caller, device string) (NewSession, error) {
	own, ok := c.session()
	if !ok {
		return NewSession{}, errNoCredential
	}
	u, err := tx.User(c.ID)
	if err != nil {
		return NewSession{}, err
	}
	text := newSessionToken()
	rotated := NewSession{Token: text, ExpiresAt: own.createdAt.Add(t.sessionLimits.lifetime), Device: t.markDevice(device, u)}
	return rotated, tx.RotateSession(own.id, token.Hash(text), t.clock())
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
