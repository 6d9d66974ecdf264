package access

import (
	"errors"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// proofLifetime is the time for which a proof of who the user is admits sensitive changes.
const proofLifetime = 15 * time.Minute

// ErrProofNeeded refuses a change that needs a recent proof of who the user is. A front end asks for it, and then repeats
// the request. It is no problem of the request itself.
var ErrProofNeeded = errors.New("this change needs a proof of who the user is that is not older than 15 minutes")

// errSecondFactor refuses a session without a second factor in an organisation that requires one.
var errSecondFactor = api.NewProblem(api.CodeForbidden,
	"Your organisation requires a second factor. Set one up on the page Security first.")

// settingUp are the operations of a session that must get a second factor first.
var settingUp = []string{api.OpListFactors, api.OpBeginAuthenticator, api.OpConfirmAuthenticator, api.OpBeginPasskey,
	api.OpAddPasskey, api.OpProve, api.OpAskProof, api.OpProveAtProvider, api.OpEndSession}

var ErrSessionEnded = api.NewProblem(api.CodeUnauthorized, "The session has ended. Sign in again.")

// SessionCredential is the credential of a request of a browser in which a user has signed in. The end of the session
// is no end of what its caller creates.
type SessionCredential struct {
	roleAccess

	ID        string
	CreatedAt api.Time

	tokenHash string
	limits    SessionLimits
	endsAt    api.Time
	proved    bool // the user has proved recently who it is
	lacks     bool // a second factor, which the organisation requires
}

// callerOfSession returns the caller of a session. It refuses a session that has ended, one of a disabled user, and one
// that did not begin at the provider where alone the organisation signs in.
func callerOfSession(cred store.SessionCredential, hash string, l SessionLimits, now api.Time) (Caller, error) {
	l = l.Within(cred.Policy)
	ends := api.At(l.End(cred.Session))
	u := cred.User
	if cred.Epoch != u.SessionEpoch || u.DisabledAt != nil || cred.WithoutProvider || !now.Before(ends.Time) {
		return Caller{}, ErrSessionEnded
	}
	return Caller{Principal: Principal{Type: UserCaller, ID: u.ID, Name: u.Name, Email: u.Email},
		Scopes: api.AllScopes(), policy: cred.Policy,
		Organization: api.OrganizationRef{ID: u.OrgID, Name: cred.OrgName},
		Credential: SessionCredential{ID: cred.ID, CreatedAt: cred.CreatedAt, tokenHash: hash, limits: l, endsAt: ends,
			proved: now.Sub(cred.ProvedAt.Time) < proofLifetime, lacks: cred.Policy.SecondFactor &&
				cred.SecondFactor == ""}}, nil
}

func unknownSession(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return ErrSessionEnded
	}
	return err
}

// TokenHash returns the hash under which the token of the session is stored.
func (s SessionCredential) TokenHash() string { return s.tokenHash }

func (s SessionCredential) authentic() bool { return s.tokenHash != "" }

// LacksFactor reports whether the session must get a second factor first, and may do nothing else.
func (s SessionCredential) LacksFactor() bool { return s.lacks }

// admits refuses nothing to a session with the factors that its organisation requires: a session has every scope of its
// user. Write refuses a write without a proof.
func (s SessionCredential) admits(op *api.Operation) error {
	if s.lacks && !slices.Contains(settingUp, op.ID) {
		return errSecondFactor
	}
	return nil
}

func (s SessionCredential) current(q Queries, now api.Time, _ Caller) (Caller, error) {
	cred, err := q.SessionCredential(s.tokenHash)
	if err != nil {
		return Caller{}, unknownSession(err)
	}
	return callerOfSession(cred, s.tokenHash, s.limits, now)
}

func (s SessionCredential) lock(tx *Tx, op *api.Operation, _ string) error {
	return tx.LockSession(s.tokenHash, op.Callers == api.SessionsOnly)
}

func (s SessionCredential) valid(tx *Tx, now api.Time, c Caller) (bool, error) {
	after := store.Session{CreatedAt: api.At(now.Add(-s.limits.Lifetime)), LastUsedAt: api.At(now.Add(-s.limits.Idle))}
	return tx.SessionValid(s.tokenHash, after, c.policy.Version, tx.read.roles)
}

func (s SessionCredential) expired(now api.Time) bool { return !now.Before(s.endsAt.Time) }

func (s SessionCredential) identify(a *store.Actor) { a.SessionID = &s.ID }
