package tracker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// ListKeys lists the caller's own PATs and the WSTs of workspaces it administers, oldest first.
func (t *Tracker) ListKeys(ctx context.Context, c access.Caller, v input.Valid[api.ListKeys],
) (api.Page[api.Key], error) {
	in, err := v.Value(c.Allow(api.OpListKeys))
	if err != nil {
		return api.Page[api.Key]{}, err
	}
	l := listing[api.Key]{operation: api.OpListKeys, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(k api.Key) string { return k.ID },
		func(afterID string, limit int) ([]api.Key, error) {
			q := t.access.Read(ctx)
			administered, err := c.AdministeredWorkspaces(q)
			if err != nil {
				return nil, err
			}
			rows, err := q.Keys(c.ID, administered, afterID, limit)
			return convert(rows, func(k store.Key) api.Key { return k.Key }), err
		}))
}

// GetKey returns a key the caller sees.
func (t *Tracker) GetKey(ctx context.Context, c access.Caller, v input.Valid[api.GetKey]) (api.Key, error) {
	in, err := v.Value(c.Allow(api.OpGetKey))
	if err != nil {
		return api.Key{}, err
	}
	k, err := c.Key(t.access.Read(ctx), in.KeyID)
	return k.Key, err
}

// CreateKey creates a key with at most the scopes and the lifetime of the caller's key.
func (t *Tracker) CreateKey(ctx context.Context, c access.Caller, v input.Valid[api.CreateKey]) (api.NewKey, error) {
	in, err := v.Value(c.Allow(api.OpCreateKey))
	if err != nil {
		return api.NewKey{}, err
	}
	return t.createKey(ctx, c, in, nil)
}

// createKey is CreateKey for an input with the right to it. also, unless nil, runs in the transaction that creates
// the key.
func (t *Tracker) createKey(ctx context.Context, c access.Caller, in api.CreateKey,
	also func(*access.Tx, api.NewKey) error) (api.NewKey, error) {
	asked, err := t.keyFields(c, in.Body)
	if err != nil {
		return api.NewKey{}, err
	}
	return access.Write(ctx, t.access, c, api.OpCreateKey, func(tx *access.Tx, c access.Caller) (api.NewKey, error) {
		fields, err := t.applyKeyPolicy(tx, c, asked, in.Body.ExpiresAt != nil)
		if err != nil {
			return api.NewKey{}, err
		}
		if fields.Type == api.WST {
			if err := c.RequireAdmin(tx.Queries, *fields.WorkspaceID); err != nil {
				return api.NewKey{}, err
			}
		}
		if err := t.checkGrantable(c, fields.Scopes, fields.ExpiresAt); err != nil {
			return api.NewKey{}, err
		}
		return idempotent(t, tx, c, in, func() (api.NewKey, error) {
			k, err := t.mint(tx, c, fields, c.ID)
			if err == nil && also != nil {
				err = also(tx, k)
			}
			return k, err
		})
	})
}

// keyFields checks the fields of a new key that depend on the caller. It sets the defaults: a service's own workspace,
// and the expiry of the caller's key.
func (t *Tracker) keyFields(c access.Caller, f api.KeyFields) (api.KeyFields, error) {
	switch {
	case f.Type == api.PAT && f.WorkspaceID != nil:
		return f, api.InvalidMember("/workspaceId", "not_for_pat",
			"a personal access token has no workspace of its own; leave workspaceId out")
	case f.Type == api.PAT && c.Type == access.ServiceCaller:
		return f, api.NewProblem(api.CodeForbidden,
			"A workspace service token mints only workspace service tokens of its workspace.")
	case f.Type == api.WST && f.WorkspaceID == nil && c.Type == access.ServiceCaller:
		f.WorkspaceID = &c.WorkspaceID
	case f.Type == api.WST && f.WorkspaceID == nil:
		return f, api.InvalidMember("/workspaceId", "required", "a workspace service token needs its workspaceId")
	}
	if f.ExpiresAt == nil {
		f.ExpiresAt = c.ExpiresAt
	} else if !t.now().Before(f.ExpiresAt.Time) {
		return f, api.InvalidMember("/expiresAt", "in_the_past", "expiresAt must be in the future")
	}
	f.Scopes = sortScopes(f.Scopes)
	if f.FilesOnly && !slices.Equal(f.Scopes, []api.Scope{api.SlicesWrite}) {
		return f, api.InvalidMember("/scopes", "files_only", "a key that files only has the scope slices:write alone")
	}
	f.WithholdGuests = f.WithholdGuests || c.WithholdsGuests()
	return f, nil
}

func sortScopes(scopes []api.Scope) []api.Scope {
	return slices.DeleteFunc(api.AllScopes(), func(s api.Scope) bool { return !slices.Contains(scopes, s) })
}

// checkGrantable refuses scopes that the caller's key lacks, and an expiry after that of the caller's key.
func (t *Tracker) checkGrantable(c access.Caller, scopes []api.Scope, expiresAt *api.Time) error {
	var lacking []string
	for _, s := range scopes {
		if !slices.Contains(c.Scopes, s) {
			lacking = append(lacking, string(s))
		}
	}
	if len(lacking) > 0 {
		return api.NewProblem(api.CodeForbidden, "Your key cannot grant scopes that it does not have: "+
			strings.Join(lacking, ", ")+".")
	}
	if limit := c.ExpiresAt; limit != nil && (expiresAt == nil || expiresAt.After(limit.Time)) {
		return api.NewProblem(api.CodeForbidden,
			"Your key expires at "+limit.String()+". A key that it creates or rotates must not expire later.")
	}
	return nil
}

// mint creates a key and its token. userID is the user of a PAT.
func (t *Tracker) mint(tx *access.Tx, c access.Caller, f api.KeyFields, userID string) (api.NewKey, error) {
	text := token.New(token.Kind(f.Type))
	k := store.Key{OrgID: c.Organization.ID}
	k.KeyRef = api.KeyRef{ID: id.New(id.Key), Name: f.Name, Type: f.Type, Scopes: f.Scopes, WorkspaceID: f.WorkspaceID,
		ExpiresAt: f.ExpiresAt, WithholdGuests: f.WithholdGuests, FilesOnly: f.FilesOnly}
	k.Last4 = token.Last4(text)
	k.CreatedAt = api.At(id.Time(k.ID))
	if f.Type == api.PAT {
		k.UserID = &userID
	}
	k.CreatedBy = creator(c)
	if err := tx.InsertKey(k, token.Hash(text)); err != nil {
		return api.NewKey{}, err
	}
	return api.NewKey{Key: k.Key, Token: text}, t.publishKey(tx, c, k, api.EventKeyCreated)
}

// publishKey records an event about a key: of a WST in the log of its workspace, of a PAT in the audit log alone.
func (t *Tracker) publishKey(tx *access.Tx, c access.Caller, k store.Key, kind api.EventType) error {
	e := event{Type: kind, ID: k.ID, Subject: k.Key}
	if k.WorkspaceID == nil {
		return t.recordAudit(tx, c, e)
	}
	return t.publish(tx, c, *k.WorkspaceID, e)
}

// RevokeKey revokes a key the caller sees, with all its tokens.
func (t *Tracker) RevokeKey(ctx context.Context, c access.Caller, v input.Valid[api.RevokeKey]) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpRevokeKey))
	if err != nil {
		return api.Nothing{}, err
	}
	return t.revoke(ctx, c, api.OpRevokeKey, in.KeyID)
}

// RevokeSelf revokes the caller's own key.
func (t *Tracker) RevokeSelf(ctx context.Context, c access.Caller, v input.Valid[api.RevokeSelf]) (api.Nothing, error) {
	if _, err := v.Value(c.Allow(api.OpRevokeSelf)); err != nil {
		return api.Nothing{}, err
	}
	return t.revoke(ctx, c, api.OpRevokeSelf, c.KeyID())
}

func (t *Tracker) revoke(ctx context.Context, c access.Caller, operation, keyID string) (api.Nothing, error) {
	change := access.KeyChange{Operation: operation, KeyID: keyID}
	return access.WriteKey(ctx, t.access, c, change, func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
		k, err := c.Key(tx.Queries, keyID)
		if err != nil {
			return api.Nothing{}, err
		}
		if err := tx.RevokeKey(keyID, t.clock()); err != nil {
			return api.Nothing{}, access.OrNotFound(err, "API key")
		}
		return api.Nothing{}, t.publishKey(tx, c, k, api.EventKeyRevoked)
	})
}

// RotateKey gives a key a new token: the caller's own, or another one with at most its scopes and lifetime.
func (t *Tracker) RotateKey(ctx context.Context, c access.Caller, v input.Valid[api.RotateKey]) (api.NewKey, error) {
	in, err := v.Value(c.Allow(api.OpRotateKey))
	if err != nil {
		return api.NewKey{}, err
	}
	var grace time.Duration
	if in.Body != nil {
		grace = time.Duration(in.Body.GracePeriodSeconds) * time.Second
	}
	change := access.KeyChange{Operation: api.OpRotateKey, KeyID: in.KeyID}
	return access.WriteKey(ctx, t.access, c, change, func(tx *access.Tx, c access.Caller) (api.NewKey, error) {
		k, err := c.Key(tx.Queries, in.KeyID)
		if err != nil {
			return api.NewKey{}, err
		}
		if k.ID != c.KeyID() {
			if err := t.checkGrantable(c, k.Scopes, k.ExpiresAt); err != nil {
				return api.NewKey{}, err
			}
			if c.WithholdsGuests() && !k.WithholdGuests {
				return api.NewKey{}, api.NewProblem(api.CodeForbidden,
					"Your key withholds text of reporters without an account, and the other key does not.")
			}
		}
		return idempotent(t, tx, c, in, func() (api.NewKey, error) {
			return t.rotate(tx, c, k, grace)
		})
	})
}

// rotate gives a key a new token, unless a program renews it, which would not know the new one.
func (t *Tracker) rotate(tx *access.Tx, c access.Caller, k store.Key, grace time.Duration) (api.NewKey, error) {
	g, err := tx.KeyGrant(k.ID)
	switch {
	case err == nil && g.Refresh != "":
		return api.NewKey{}, api.NewProblem(api.CodeForbidden,
			"The program that this key was made for renews its token itself.")
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return api.NewKey{}, err
	}
	return t.replaceToken(tx, c, k, Renewal{Grace: grace})
}

// replaceToken gives a key that has not expired a new token.
func (t *Tracker) replaceToken(tx *access.Tx, c access.Caller, k store.Key, r Renewal) (api.NewKey, error) {
	now := t.clock()
	if k.ExpiresAt != nil && !now.Before(k.ExpiresAt.Time) {
		return api.NewKey{},
			api.NewProblem(api.CodeKeyExpired,
				"The key expired at "+k.ExpiresAt.String()+", so a new token would not work. Create a new key.")
	}
	text := token.New(token.Kind(k.Type))
	k.Last4, k.RotatedAt = token.Last4(text), &now
	rotated := store.NewToken{Hash: token.Hash(text), Last4: k.Last4, CreatedAt: now, LapsesAt: r.LapsesAt}
	if err := tx.RotateToken(k.ID, rotated, api.At(now.Add(r.Grace))); err != nil {
		return api.NewKey{}, access.OrNotFound(err, "API key")
	}
	return api.NewKey{Key: k.Key, Token: text}, t.publishKey(tx, c, k, api.EventKeyRotated)
}

// expiryNotice is the time between the event of an expiring key and its expiry. A key with a shorter lifetime has no
// such event.
const expiryNotice = 7 * 24 * time.Hour

// notifyExpiring publishes one event for each key that expires within expiryNotice, unless it was made for so short a
// time. It returns the number of keys that it has dealt with.
func (t *Tracker) notifyExpiring(tx *access.Tx) (int, error) {
	now := t.clock()
	soon, err := tx.ExpiringKeys(now, api.At(now.Add(expiryNotice)), jobBatch)
	if err != nil {
		return 0, err
	}
	for _, k := range soon {
		if err := tx.RecordExpiryNotice(k.ID, now); err != nil { // also without an event, so that it is not found again
			return 0, err
		}
		if lifetime := k.ExpiresAt.Sub(k.CreatedAt.Time); lifetime <= expiryNotice {
			continue
		}
		if err := t.publishKey(tx, access.System(k.OrgID), k, api.EventKeyExpiring); err != nil {
			return 0, err
		}
	}
	return len(soon), nil
}
