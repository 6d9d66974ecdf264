package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// deletedRetention is the time for which a deleted slice can be restored.
const deletedRetention = 30 * 24 * time.Hour

// DeleteSlice marks a slice as deleted. A job purges it after deletedRetention.
func (t *Tracker) DeleteSlice(ctx context.Context, c access.Caller, v input.Valid[api.DeleteSlice],
) (api.Nothing, error) {
	deletion, err := t.prepareDeletion(c, v, api.Idempotency{})
	if err != nil {
		return api.Nothing{}, err
	}
	return access.Write(ctx, t.access, c, api.OpDeleteSlice, deletion)
}

// prepareDeletion returns what DeleteSlice does in its transaction. It stores the response under the key of a
// request, if the request has one.
func (t *Tracker) prepareDeletion(c access.Caller, v input.Valid[api.DeleteSlice], key request,
) (access.InTransaction[api.Nothing], error) {
	in, err := v.Value(c.Allow(api.OpDeleteSlice))
	if err != nil {
		return nil, err
	}
	return func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
		s, err := c.LockAnySlice(tx, in.SliceID)
		if err != nil {
			return api.Nothing{}, err
		}
		return idempotent(t, tx, c, key,
			func() (api.Nothing, error) { return api.Nothing{}, t.deleteSlice(tx, c, s, in.IfMatch) })
	}, nil
}

// deleteSlice marks a locked slice as deleted, and publishes that. It refuses one that is deleted already.
func (t *Tracker) deleteSlice(tx *access.Tx, c access.Caller, s store.Slice, ifMatch string) error {
	s, err := access.Undeleted(s, nil)
	if err != nil {
		return err
	}
	if err := checkIfMatch("slice", ifMatch, s.Version); err != nil {
		return err
	}
	now := t.clock()
	s.DeletedAt, s.UpdatedAt = &now, maxTime(now, s.UpdatedAt)
	return t.saveSlice(tx, c, &s, api.EventSliceDeleted)
}

// RestoreSlice restores a deleted slice within deletedRetention, unless another live slice has its external id or an
// open one its fingerprint. An assignee who is not a member any more is removed. A live slice is returned unchanged.
func (t *Tracker) RestoreSlice(ctx context.Context, c access.Caller, v input.Valid[api.RestoreSlice],
) (api.Slice, error) {
	restoration, err := t.prepareRestoration(c, v, nil)
	if err != nil {
		return api.Slice{}, err
	}
	in, err := v.Value(c.Allow(api.OpRestoreSlice))
	if err != nil {
		return api.Slice{}, err
	}
	return access.Write(ctx, t.access, c, api.OpRestoreSlice, func(tx *access.Tx, c access.Caller) (api.Slice, error) {
		if err := lockIdentifiers(tx, c, in.SliceID, nil); err != nil {
			return api.Slice{}, err
		}
		out, err := restoration(tx, c)
		return out.Slice, err
	})
}

// prepareRestoration returns what RestoreSlice does in its transaction, which has locked the identifiers.
// It stores the response under the key of a request, which is that of the input when nil.
func (t *Tracker) prepareRestoration(c access.Caller, v input.Valid[api.RestoreSlice], key request) (
	access.InTransaction[changedSlice], error,
) {
	in, err := v.Value(c.Allow(api.OpRestoreSlice))
	if err != nil {
		return nil, err
	}
	if key == nil {
		key = in
	}
	return func(tx *access.Tx, c access.Caller) (changedSlice, error) {
		s, err := c.LockAnySlice(tx, in.SliceID)
		if err != nil {
			return changedSlice{}, err
		}
		return idempotent(t, tx, c, key, func() (changedSlice, error) {
			if s.DeletedAt == nil {
				return changedSlice{t.show(s), false}, nil
			}
			if t.now().Sub(s.DeletedAt.Time) > deletedRetention {
				return changedSlice{}, api.NotFound("slice")
			}
			err := t.restore(tx, c, &s)
			return changedSlice{t.show(s), true}, err
		})
	}, nil
}

// restore restores a locked slice that is deleted, and publishes that. It removes an assignee who is not a member any
// more, and refuses a slice whose fingerprint another open slice has.
func (t *Tracker) restore(tx *access.Tx, c access.Caller, s *store.Slice) error {
	if s.AssigneeID != nil {
		_, err := tx.Role(s.WorkspaceID, *s.AssigneeID)
		if errors.Is(err, store.ErrNotFound) {
			s.AssigneeID, err = nil, nil
		}
		if err != nil {
			return err
		}
	}
	if err := checkFingerprintFree(tx, s); err != nil {
		return err
	}
	if s.ExternalID != nil {
		if err := checkExternalID(tx, s, *s.ExternalID, []string{*s.ExternalID}); err != nil {
			return err
		}
	}
	s.DeletedAt, s.UpdatedAt = nil, maxTime(t.clock(), s.UpdatedAt)
	return t.saveSlice(tx, c, s, api.EventSliceRestored)
}
