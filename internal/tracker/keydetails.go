package tracker

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// KeyDetail is what a page shows of a key beside the key itself.
type KeyDetail struct {
	Creator     string    // the name of the user or key that created it; empty for the operator
	FormerUntil *api.Time // when the former token's grace period ends; nil outside of one
	LastUse     *Use      // nil when the key was never used
	RevokedAt   *api.Time // nil for a key that is not revoked
	RevokedBy   string    // the name of the user or key that revoked it; empty for the operator, or when the event is deleted
	Client      KeyClient
}

// KeyClient is the program that a key was made for; zero for none.
type KeyClient = store.KeyClient

// Use is a use of a key. Address and UserAgent are empty for a use from before they were recorded.
type Use struct {
	At        api.Time
	Address   string
	UserAgent string
}

const (
	endedKeyAge  = 30 * 24 * time.Hour // of the oldest key that EndedKeys returns
	endedKeySize = 100                 // of the list that it returns
)

// EndedKeys returns the keys of the caller's list that were revoked or have expired in the last 30 days, the last one
// first, at most 100.
func (t *Tracker) EndedKeys(ctx context.Context, c access.Caller) ([]api.Key, error) {
	if err := c.Allow(api.OpListKeys); err != nil {
		return nil, err
	}
	q, now := t.access.Read(ctx), t.now()
	administered, err := c.AdministeredWorkspaces(q)
	if err != nil {
		return nil, err
	}
	rows, err := q.EndedKeys(c.ID, administered, api.At(now.Add(-endedKeyAge)), api.At(now), endedKeySize)
	return convert(rows, func(k store.Key) api.Key { return k.Key }), err
}

// StoredKey is GetKey for revoked keys too.
func (t *Tracker) StoredKey(ctx context.Context, c access.Caller, v input.Valid[api.GetKey]) (api.Key, error) {
	in, err := v.Value(c.Allow(api.OpGetKey))
	if err != nil {
		return api.Key{}, err
	}
	k, err := c.StoredKey(t.access.Read(ctx), in.KeyID)
	return k.Key, err
}

// KeyDetails returns the detail of each of these keys that the caller sees, also of revoked ones, by key id.
func (t *Tracker) KeyDetails(ctx context.Context, c access.Caller, keys []api.Key) (map[string]KeyDetail, error) {
	if err := c.Allow(api.OpGetKey); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	administered, err := c.AdministeredWorkspaces(q)
	if err != nil {
		return nil, err
	}
	rows, err := q.KeyDetails(convert(keys, func(k api.Key) string { return k.ID }), c.ID, administered)
	now, details := t.clock(), make(map[string]KeyDetail, len(rows))
	for _, row := range rows {
		details[row.ID] = keyDetail(row, now)
	}
	return details, err
}

func keyDetail(row store.KeyDetail, now api.Time) KeyDetail {
	d := KeyDetail{Creator: row.Creator, RevokedAt: row.RevokedAt, RevokedBy: row.RevokedBy, Client: row.Client}
	if row.FormerUntil != nil && now.Before(row.FormerUntil.Time) {
		d.FormerUntil = row.FormerUntil
	}
	if u := row.LastUse; u != nil {
		d.LastUse = &Use{At: u.At, Address: u.Address, UserAgent: u.UserAgent}
	}
	return d
}
