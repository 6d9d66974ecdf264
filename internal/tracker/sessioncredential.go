package tracker

import (
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// Defaults of Options.
const (
	DefaultSessionIdle     = 14 * 24 * time.Hour
	DefaultSessionLifetime = 90 * 24 * time.Hour
)

// proofLifetime is the time for which a proof of the password admits sensitive changes.
const proofLifetime = 15 * time.Minute

// ErrProofNeeded refuses a change that needs a recent proof of the password. A front end asks for it, and then repeats
// the request. It is no problem of the request itself.
var ErrProofNeeded = errors.New("this change needs a proof of the password that is not older than 15 minutes")

var errSessionEnded = api.NewProblem(api.CodeUnauthorized, "The session has ended. Sign in again.")

// sessionLimits are the times after which sessions end.
type sessionLimits struct {
	idle     time.Duration // since the last use
	lifetime time.Duration // since the user signed in
}

// end returns when a session ends unless it is used.
func (l sessionLimits) end(s store.Session) time.Time {
	idle, absolute := s.LastUsedAt.Add(l.idle), s.CreatedAt.Add(l.lifetime)
	if idle.Before(absolute) {
		return idle
	}
	return absolute
}

// sessionCredential is the credential of a request of a browser in which a user has signed in. The end of the session is
// no end of what its caller creates.
type sessionCredential struct {
	roleAccess

	id        string
	tokenHash string
	limits    sessionLimits
	createdAt api.Time
	endsAt    api.Time
	proved    bool // the password was proved recently
}

// callerOfSession returns the caller of a session. It refuses a session that has ended, and one of a disabled user.
func callerOfSession(cred store.SessionCredential, hash string, l sessionLimits, now api.Time) (Caller, error) {
	ends := api.At(l.end(cred.Session))
	u := cred.User
	if cred.Epoch != u.SessionEpoch || u.DisabledAt != nil || !now.Before(ends.Time) {
		return Caller{}, errSessionEnded
	}
	return Caller{Principal: Principal{Type: UserCaller, ID: u.ID, Name: u.Name, Email: u.Email}, Scopes: api.AllScopes(),
		Organization: api.OrganizationRef{ID: u.OrgID, Name: cred.OrgName},
		Credential: sessionCredential{id: cred.ID, tokenHash: hash, limits: l, createdAt: cred.CreatedAt, endsAt: ends,
			proved: now.Sub(cred.ProvedAt.Time) < proofLifetime}}, nil
}

func unknownSession(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errSessionEnded
	}
	return err
}

func (s sessionCredential) authentic() bool { return s.tokenHash != "" }

// admits refuses nothing: a session has every scope of its user. requireProof refuses a write without a proof.
func (sessionCredential) admits(*api.Operation) error { return nil }

// requireProof refuses a sensitive change of a session without a recent proof of the password.
func (c Caller) requireProof() error {
	if s, ok := c.session(); ok && c.readSet.proof && !s.proved {
		return ErrProofNeeded
	}
	return nil
}

func (s sessionCredential) current(q store.Queries, now api.Time, _ Caller) (Caller, error) {
	cred, err := q.SessionCredential(s.tokenHash)
	if err != nil {
		return Caller{}, unknownSession(err)
	}
	return callerOfSession(cred, s.tokenHash, s.limits, now)
}

func (s sessionCredential) lock(tx *store.Tx, _ Caller, op *api.Operation) error {
	return tx.LockSession(s.tokenHash, op.Callers == api.SessionsOnly)
}

func (s sessionCredential) valid(tx *store.Tx, now api.Time, c Caller) (bool, error) {
	created, used := api.At(now.Add(-s.limits.lifetime)), api.At(now.Add(-s.limits.idle))
	return tx.SessionValid(s.tokenHash, created, used, c.readSet.roles)
}

func (s sessionCredential) expired(now api.Time) bool { return !now.Before(s.endsAt.Time) }

func (s sessionCredential) identify(a *store.Actor) { a.SessionID = &s.id }

// session returns the session of a caller; ok is false when it has another credential.
func (c Caller) session() (s sessionCredential, ok bool) {
	s, ok = c.Credential.(sessionCredential)
	return s, ok
}
