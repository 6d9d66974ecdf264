package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/store"
)

// KeyDetail is what a page shows of a key beside the key itself.
type KeyDetail struct {
	Creator     string    // the name of the user or key that created it; empty for the operator
	FormerUntil *api.Time // when the former token's grace period ends; nil outside of one
	LastUse     *Use      // nil when the key was never used
}

// Use is a use of a key. Address and UserAgent are empty for a use from before they were recorded.
type Use struct {
	At        api.Time
	Address   string
	UserAgent string
}

// KeyDetails returns the detail of each of these keys that the caller sees, by key id.
func (t *Tracker) KeyDetails(ctx context.Context, c Caller, keys []api.Key) (map[string]KeyDetail, error) {
	if err := c.Allow(api.OpGetKey); err != nil {
		return nil, err
	}
	q := t.store.Read(ctx)
	administered, err := c.administeredWorkspaces(q)
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
	d := KeyDetail{Creator: row.Creator}
	if row.FormerUntil != nil && now.Before(row.FormerUntil.Time) {
		d.FormerUntil = row.FormerUntil
	}
	if u := row.LastUse; u != nil {
		d.LastUse = &Use{At: u.At, Address: u.Address, UserAgent: u.UserAgent}
	}
	return d
}
