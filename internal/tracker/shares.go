package tracker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

const (
	maxShares       = 50 // of a slice
	defaultShareAge = 7 * 24 * time.Hour
	maxShareAge     = 365 * 24 * time.Hour
)

// ListShares lists the shares of a slice the caller sees that have not expired, oldest first.
func (t *Tracker) ListShares(ctx context.Context, c access.Caller, v input.Valid[api.ListShares],
) (api.Page[api.Share], error) {
	in, err := v.Value(c.Allow(api.OpListShares))
	if err != nil {
		return api.Page[api.Share]{}, err
	}
	l := listing[api.Share]{operation: api.OpListShares, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(s api.Share) string { return s.ID },
		func(afterID string, limit int) ([]api.Share, error) {
			q := t.access.Read(ctx)
			s, err := c.Slice(q, in.SliceID)
			if err != nil {
				return nil, err
			}
			rows, err := q.Shares(s.ID, afterID, t.clock(), limit)
			return convert(rows, t.showShare), err
		}))
}

// showShare returns a stored share as the API shows it.
func (t *Tracker) showShare(s store.Share) api.Share {
	s.Active = access.ShareIsActive(s, t.clock())
	return s.Share
}

// CreateShare shares a slice the caller sees. It refuses the operator, because a share ends with the rights of its
// creator.
func (t *Tracker) CreateShare(ctx context.Context, c access.Caller, v input.Valid[api.CreateShare],
) (api.NewShare, error) {
	in, err := v.Value(c.Allow(api.OpCreateShare))
	if err != nil {
		return api.NewShare{}, err
	}
	return access.Write(ctx, t.access, c, api.OpCreateShare,
		func(tx *access.Tx, c access.Caller) (api.NewShare, error) {
			s, err := c.LockSlice(tx, in.SliceID)
			if err != nil {
				return api.NewShare{}, err
			}
			return idempotent(t, tx, c, in, func() (api.NewShare, error) {
				share := store.Share{WorkspaceID: s.WorkspaceID}
				share.ID, share.SliceID, share.CreatedBy = id.New(id.Share), s.ID, creator(c)
				share.Active, share.CreatedAt = true, t.clock()
				if share.CreatedBy == (api.KeyMaker{}) {
					return api.NewShare{},
						api.NewProblem(api.CodeForbidden, "Only a user or a service can share a slice.")
				}
				if share.ExpiresAt, err = shareExpiry(in.Body.ExpiresAt, share.CreatedAt); err != nil {
					return api.NewShare{}, err
				}
				share.Parts = slices.DeleteFunc([]api.SharePart{api.ShareConsole, api.ShareNetwork, api.ShareComments},
					func(p api.SharePart) bool { return !slices.Contains(in.Body.Parts, p) })
				return t.insertShare(tx, c, share)
			})
		})
}

// shareExpiry returns the expiry of a new share, by default after defaultShareAge. It refuses one in the past or
// after maxShareAge.
func shareExpiry(requested *api.Time, now api.Time) (api.Time, error) {
	switch {
	case requested == nil:
		return api.At(now.Add(defaultShareAge)), nil
	case !now.Before(requested.Time):
		return api.Time{}, api.InvalidMember("/expiresAt", "in_the_past", "expiresAt must be in the future")
	case requested.Sub(now.Time) > maxShareAge:
		return api.Time{}, api.InvalidMember("/expiresAt", "too_late", "a share can last for at most 365 days")
	}
	return *requested, nil
}

// insertShare stores a share of a locked slice with a new token, and publishes that.
func (t *Tracker) insertShare(tx *access.Tx, c access.Caller, share store.Share) (api.NewShare, error) {
	n, err := tx.CountShares(share.SliceID, share.CreatedAt)
	if err == nil && n >= maxShares {
		err = api.NewProblem(api.CodeTooManyShares,
			fmt.Sprintf("The slice has %d shares already. Revoke one first.", maxShares))
	}
	if err != nil {
		return api.NewShare{}, err
	}
	text := token.New(token.Share)
	if err := tx.InsertShare(share, token.Hash(text)); err != nil {
		return api.NewShare{}, err
	}
	return api.NewShare{Share: share.Share, URL: t.baseURL + "/s/" + text},
		t.publish(tx, c, share.WorkspaceID, event{Type: api.EventShareCreated, ID: share.SliceID, Subject: share.Share})
}

// RevokeShare deletes a share of a slice of a workspace the caller sees, also of a deleted slice.
func (t *Tracker) RevokeShare(ctx context.Context, c access.Caller, v input.Valid[api.RevokeShare],
) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpRevokeShare))
	if err != nil {
		return api.Nothing{}, err
	}
	return access.Write(ctx, t.access, c, api.OpRevokeShare, func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
		share, err := tx.Share(in.ShareID)
		if err == nil {
			_, err = c.LockAnySlice(tx, share.SliceID)
		}
		if err == nil {
			err = tx.DeleteShare(share.ID)
		}
		if err != nil {
			return api.Nothing{}, access.MaskNotFound(err, "share")
		}
		share.Active = false
		return api.Nothing{}, t.publish(tx, c, share.WorkspaceID,
			event{Type: api.EventShareRevoked, ID: share.SliceID, Subject: share.Share})
	})
}

// ShareRow is a share in the list of a workspace.
type ShareRow struct {
	api.Share
	Reference string // of its slice
	Summary   string
	Creator   string // the name of the user, or else of the key, that created it
}

// WorkspaceShares returns at most limit shares of a workspace the caller sees before the share beforeID, the newest
// first. It leaves out those that have expired and those of deleted slices. An empty beforeID begins with the newest.
func (t *Tracker) WorkspaceShares(ctx context.Context, c access.Caller, workspaceID, beforeID string, limit int,
) ([]ShareRow, error) {
	if err := c.Allow(api.OpListShares); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, workspaceID); err != nil {
		return nil, err
	}
	if beforeID == "" {
		beforeID = "~" // after every id
	}
	rows, err := q.WorkspaceShares(workspaceID, beforeID, t.clock(), limit)
	return convert(rows, t.shareRow), err
}

func (t *Tracker) shareRow(s store.Share) ShareRow {
	return ShareRow{t.showShare(s), api.Reference(s.WorkspaceKey, s.Number), s.Summary, s.Creator.Name}
}

// SliceShares returns the shares of a slice the caller sees that have not expired, oldest first.
func (t *Tracker) SliceShares(ctx context.Context, c access.Caller, sliceID string) ([]ShareRow, error) {
	if err := c.Allow(api.OpListShares); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	s, err := c.Slice(q, sliceID)
	if err != nil {
		return nil, err
	}
	rows, err := q.Shares(s.ID, "", t.clock(), maxShares)
	return convert(rows, t.shareRow), err
}
