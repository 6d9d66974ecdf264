package tracker

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// Keys that users allow programs to have are keys like others. Their tokens reach the program by a code, which
// package oauth redeems.

// CreateGrantedKey is CreateKey for a program: grant stores what the program needs to fetch a token, in the same
// transaction. The first token of the key is shown to nobody.
func (t *Tracker) CreateGrantedKey(
	ctx context.Context, c access.Caller, v input.Valid[api.CreateKey], grant func(*access.Tx, api.Key) error,
) (api.Key, error) {
	in, err := v.Value(c.Allow(api.OpCreateKey))
	if err != nil {
		return api.Key{}, err
	}
	k, err := t.createKey(ctx, c, in, func(tx *access.Tx, k api.NewKey) error { return grant(tx, k.Key) })
	return k.Key, err
}

// Renewal says how a token of a granted key is replaced. The former one works for the grace period.
type Renewal struct {
	Request  access.Request
	LapsesAt *api.Time // nil for a token that ends with the key
	Grace    time.Duration
}

// RenewKey gives a granted key another token, in a transaction of package oauth, which no front end can open. It
// refuses with forbidden when the user who has granted the key is disabled, or does not administer the workspace of a
// WST any more, with network_not_allowed from a network that the organisation does not admit, and with not_found when the key was revoked.
func (t *Tracker) RenewKey(tx *access.Tx, g store.KeyGrant, r Renewal) (api.NewKey, error) {
	k, err := tx.Key(g.KeyID)
	if err == nil {
		err = checkGrantor(tx, g, k)
	}
	if err == nil && !k.Policy.AdmitsKeyFrom(r.Request.ClientAddress, k.FilesOnly) {
		err = api.NewProblem(api.CodeNetwork, "The organisation does not admit programs from this network.")
	}
	if err != nil {
		return api.NewKey{}, access.OrNotFound(err, "API key")
	}
	return t.replaceToken(tx, ownCaller(k, r.Request), k, r)
}

// checkGrantor refuses a grant whose user could not make the key now.
func checkGrantor(tx *access.Tx, g store.KeyGrant, k store.Key) error {
	u, err := tx.User(g.UserID)
	if err != nil {
		return err
	}
	role := api.RoleAdmin
	if k.WorkspaceID != nil {
		role, err = tx.Role(*k.WorkspaceID, g.UserID)
	}
	if u.DisabledAt != nil || err == nil && role != api.RoleAdmin {
		return api.NewProblem(api.CodeForbidden, "The user who has allowed this has lost the right to it.")
	}
	return err
}

// EndGrantedKey revokes the key of a grant, in a transaction of package oauth. A key that is revoked already stays as
// it is.
func (t *Tracker) EndGrantedKey(tx *access.Tx, g store.KeyGrant, r access.Request) error {
	k, err := tx.StoredKey(g.KeyID)
	if err != nil || k.RevokedAt != nil {
		return err
	}
	return t.endKey(tx, ownCaller(k, r), k)
}

// endGrants revokes the keys that a user has allowed programs to have, with their codes and refresh tokens.
func (t *Tracker) endGrants(tx *access.Tx, c access.Caller, u store.User) error {
	keys, err := tx.KeysGrantedBy(u.ID)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := t.endKey(tx, c, k); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tracker) endKey(tx *access.Tx, c access.Caller, k store.Key) error {
	if err := tx.RevokeKey(k.ID, t.clock()); err != nil {
		return err
	}
	return t.publishKey(tx, c, k, api.EventKeyRevoked)
}

// ownCaller returns who the events of a program about its own key name. It has no right to anything.
func ownCaller(k store.Key, r access.Request) access.Caller {
	p := access.Principal{Type: access.ServiceCaller, ID: k.ID, Name: k.Name}
	if k.UserID != nil {
		p = access.Principal{Type: access.UserCaller, ID: *k.UserID}
	}
	return access.Caller{Principal: p, Organization: api.OrganizationRef{ID: k.OrgID}, Request: r,
		Credential: access.Key{ID: k.ID, Name: k.Name}}
}

// Retention of what programs leave behind that ask for a key.
const (
	UnusedClientAge = 24 * time.Hour // of a client for which no key was made
	endedDeviceAge  = time.Hour      // after its expiry, of a device, which is told that it was too slow
)

// endUnredeemedKeys revokes keys whose program has not fetched its token in time. It returns the number of keys.
func (t *Tracker) endUnredeemedKeys(tx *access.Tx) (int, error) {
	all, err := tx.UnredeemedKeys(t.clock(), jobBatch)
	if err != nil {
		return 0, err
	}
	for _, k := range all {
		if err := t.endKey(tx, access.System(k.OrgID), k); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}
