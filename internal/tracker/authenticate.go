package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// Authenticate returns the caller of a bearer token. It refuses an unknown, expired or revoked one as unauthorized.
func (t *Tracker) Authenticate(ctx context.Context, text string) (Caller, error) {
	c, err := t.AuthenticateRequest(ctx, text)
	c.requestRoles = nil
	return c, err
}

// AuthenticateRequest is Authenticate for the caller of one request, whose roles may be those with which it begins.
func (t *Tracker) AuthenticateRequest(ctx context.Context, text string) (Caller, error) {
	if kind, ok := token.Parse(text); !ok || kind == token.Share {
		return Caller{}, api.NewProblem(api.CodeUnauthorized,
			"This is not an API key of this service. A complete key begins with svc_pat_ or svc_wst_.")
	}
	hash := token.Hash(text)
	rights, complete, err := t.keyRights(t.store.Read(ctx), hash)
	if err != nil {
		return Caller{}, unknownToken(err)
	}
	c, err := t.rights.caller(rights.credential, hash, t.clock())
	if err != nil {
		err = &refusedKeyError{rights.credential.ID, err}
	} else if complete {
		c.requestRoles = rolesOf(rights.memberships)
	}
	return c, err
}

// keyRights returns the present rights of a token, and whether they have memberships. They are read unless they are kept and their last
// use is recent: NoteUse must know it.
func (t *Tracker) keyRights(q store.Queries, hash string) (r keyRights, complete bool, err error) {
	epoch, counted, err := q.RightsEpoch()
	if err != nil {
		return r, false, err
	}
	if counted {
		if kept, ok := t.rights.get(hash, epoch); ok && !t.isUnused(kept.credential.LastUsedAt) {
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
	t.rights.put(hash, r)
	return r, true, nil
}

// refusedKeyError is the refusal of a token that names a key but does not authenticate its caller.
type refusedKeyError struct {
	keyID string
	error
}

func (e *refusedKeyError) Unwrap() error { return e.error }

// RefusedKeyID returns the key whose token Authenticate has refused with err, because the key is revoked or expired, the
// grace period of the token is over or its user is disabled. It is empty for other errors.
func RefusedKeyID(err error) string {
	var refused *refusedKeyError
	if errors.As(err, &refused) {
		return refused.keyID
	}
	return ""
}

func unknownToken(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeUnauthorized, "The API key is unknown; it may have been rotated or revoked.")
	}
	return err
}

// caller returns the caller of a token whose rights are kept. It refuses a revoked or expired key, a superseded token whose grace period
// is over, and the key of a disabled user.
func (k *keptRights) caller(cred store.Credential, hash string, now api.Time) (Caller, error) {
	switch {
	case cred.RevokedAt != nil:
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "The API key was revoked.")
	case cred.ExpiresAt != nil && !now.Before(cred.ExpiresAt.Time):
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "The API key expired at "+cred.ExpiresAt.String()+".")
	case cred.TokenExpiresAt != nil && !now.Before(cred.TokenExpiresAt.Time):
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "The API key was rotated and the grace period of this token is over.")
	case cred.UserDisabled:
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "The user of the API key is disabled.")
	}
	c := Caller{Principal: Principal{Type: ServiceCaller, ID: cred.ID, Name: cred.Name}, Scopes: cred.Scopes, ExpiresAt: cred.ExpiresAt,
		Organization: api.OrganizationRef{ID: cred.OrgID, Name: cred.OrgName},
		Credential: Key{ID: cred.ID, Name: cred.Name, Type: cred.Type, tokenHash: hash, expiresAt: cred.ExpiresAt,
			superseded: cred.TokenExpiresAt != nil, lastUsedAt: cred.LastUsedAt, kept: k}}
	if cred.WorkspaceID != nil {
		c.WorkspaceID = *cred.WorkspaceID
	}
	if cred.UserID != nil {
		c.Principal = Principal{Type: UserCaller, ID: *cred.UserID, Name: cred.UserName, Email: cred.UserEmail}
	}
	return c, nil
}

func (k Key) authentic() bool { return k.tokenHash != "" }

// admits refuses a superseded token when the effect of the operation would outlive it.
func (k Key) admits(op *api.Operation) error {
	if k.superseded && op.Effect == api.Lasting {
		return api.NewProblem(api.CodeSuperseded,
			"The key was rotated. Until its grace period ends, this token may only read, and write slices, comments and evidence. "+
				"Use the newest token for this operation.")
	}
	return refuseAccount(op)
}

func (k Key) current(q store.Queries, now api.Time, _ Caller) (Caller, error) {
	epoch, counted, err := q.RightsEpoch()
	if err != nil {
		return Caller{}, err
	}
	r, ok := keyRights{}, false
	if counted { // in a transaction as well: none has the epoch of a change that is not committed
		r, ok = k.kept.get(k.tokenHash, epoch)
	}
	if !ok {
		if r.credential, err = q.Credential(k.tokenHash); err != nil {
			return Caller{}, unknownToken(err)
		}
	}
	return k.kept.caller(r.credential, k.tokenHash, now)
}

func (k Key) lock(tx *store.Tx, c Caller, _ *api.Operation) error {
	return tx.LockCredential(k.tokenHash, c.changedKeyID)
}

func (k Key) valid(tx *store.Tx, now api.Time, c Caller) (bool, error) {
	return tx.CredentialValid(k.tokenHash, c.Scopes, now, c.readSet.roles)
}

func (k Key) expired(now api.Time) bool { return k.expiresAt != nil && !now.Before(k.expiresAt.Time) }

func (k Key) identify(a *store.Actor) { a.KeyID = &k.ID }

// GetMe returns the caller.
func (t *Tracker) GetMe(_ context.Context, c Caller, v input.Valid[api.GetMe]) (api.Me, error) {
	if _, err := v.Value(c.Allow(api.OpGetMe)); err != nil {
		return api.Me{}, err
	}
	k, _ := c.key()
	me := api.Me{Type: string(c.Type), ID: c.ID, Name: c.Name, Organization: c.Organization,
		Key: api.KeyRef{ID: k.ID, Name: k.Name, Type: k.Type, Scopes: c.Scopes, ExpiresAt: c.ExpiresAt}}
	if c.WorkspaceID != "" {
		me.Key.WorkspaceID = &c.WorkspaceID
	}
	if c.Email != "" {
		me.Email = &c.Email
	}
	return me, nil
}
