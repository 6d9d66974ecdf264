package access

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// Authenticate returns the caller of a bearer token. It refuses an unknown, expired or revoked one as unauthorized.
func (a *Access) Authenticate(ctx context.Context, text string) (Caller, error) {
	c, err := a.AuthenticateRequest(ctx, text)
	c.requestRoles = nil
	return c, err
}

// AuthenticateRequest is Authenticate for the caller of one request, whose roles may be those with which it begins.
func (a *Access) AuthenticateRequest(ctx context.Context, text string) (Caller, error) {
	if kind, ok := token.Parse(text); !ok || kind != token.PAT && kind != token.WST {
		return Caller{}, api.NewProblem(api.CodeUnauthorized,
			"This is not an API key of this service. A complete key begins with svc_pat_ or svc_wst_.")
	}
	hash := token.Hash(text)
	rights, complete, err := a.keyRights(a.Read(ctx), hash)
	if err != nil {
		return Caller{}, unknownToken(err)
	}
	c, err := a.kept.caller(rights.credential, hash, a.clock())
	if err != nil {
		err = &refusedKeyError{rights.credential.ID, err}
	} else if complete {
		c.requestRoles = rolesOf(rights.memberships)
	}
	return c, err
}

// keyRights returns the present rights of a token, and whether they have memberships. They are read unless they are
// kept and their last use is recent: NoteUse must know it.
func (a *Access) keyRights(q Queries, hash string) (r keyRights, complete bool, err error) {
	epoch, counted, err := q.RightsEpoch()
	if err != nil {
		return r, false, err
	}
	if counted {
		if kept, ok := a.kept.get(hash, epoch); ok && !a.isUnused(kept.credential.LastUsedAt) {
			return kept, true, nil
		}
	}
	r.epoch = epoch
	if r.credential, err = q.Credential(hash); err != nil || !counted {
		return r, false, err
	}
	if r.credential.UserID != nil {
		if r.memberships, err = q.MembershipsOf(*r.credential.UserID); err != nil {
			return r, false, err
		}
	}
	a.kept.put(hash, r)
	return r, true, nil
}

// refusedKeyError is the refusal of a token that names a key but does not authenticate its caller.
type refusedKeyError struct {
	keyID string
	error
}

func (e *refusedKeyError) Unwrap() error { return e.error }

// RefusedKeyID returns the key whose token Authenticate has refused with err, because the key is revoked or expired,
// the grace period of the token is over or its user is disabled. It is empty for other errors.
func RefusedKeyID(err error) string {
	var refused *refusedKeyError
	if errors.As(err, &refused) {
		return refused.keyID
	}
	return ""
}

// UnusedKey returns the API key of a caller unless its use within the last minute is stored.
func (a *Access) UnusedKey(c Caller) (keyID string, ok bool) {
	k, ok := c.Credential.(Key)
	return k.ID, ok && a.isUnused(k.lastUsedAt)
}

// isUnused reports whether a key was not used within the last minute, by its stored last use.
func (a *Access) isUnused(lastUsedAt *api.Time) bool {
	return lastUsedAt == nil || a.clock().Sub(lastUsedAt.Time) >= time.Minute
}

// AuthenticateSession returns the caller of a request with the token of a session, and the session. It refuses an
// unknown or ended one as unauthorized.
func (a *Access) AuthenticateSession(ctx context.Context, text string) (Caller, store.SessionCredential, error) {
	hash := token.Hash(text)
	cred, err := a.Read(ctx).SessionCredential(hash)
	if err != nil {
		return Caller{}, cred, unknownSession(err)
	}
	c, err := callerOfSession(cred, hash, a.sessions, a.clock())
	c.requestRoles = &requestRoles{}
	return c, cred, err
}

// CheckSession refuses a session that has ended or may not carry out an operation, by what was read of it.
func (a *Access) CheckSession(cred store.SessionCredential, hash, operation string) error {
	c, err := callerOfSession(cred, hash, a.sessions, a.clock())
	if err != nil {
		return err
	}
	return c.Allow(operation)
}

// AuthenticateShare returns the caller of the link of a share, or ErrNoShare.
func (a *Access) AuthenticateShare(ctx context.Context, text string) (Caller, error) {
	if kind, ok := token.Parse(text); !ok || kind != token.Share {
		return Caller{}, ErrNoShare
	}
	hash := token.Hash(text)
	s, err := a.Read(ctx).ShareOfToken(hash)
	if errors.Is(err, store.ErrNotFound) {
		err = ErrNoShare
	}
	if err != nil {
		return Caller{}, err
	}
	return callerOfShare(s, hash, a.clock())
}
