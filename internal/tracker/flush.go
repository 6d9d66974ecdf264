package tracker

import (
	"context"
	"errors"
	"maps"
	"slices"

	"bugslice/internal/access"
)

// flush stores what requests have collected: the last uses of keys and sessions, the openings of shares, the counts
// of refused calls, and failed attempts to sign in. What cannot be stored is lost.
func (t *Tracker) flush(ctx context.Context) error {
	return errors.Join(t.flushKeyUsage(ctx), t.flushSessionUsage(ctx), t.flushRefusals(ctx), t.recordFailures(ctx),
		t.flushOpenings(ctx))
}

func (t *Tracker) flushKeyUsage(ctx context.Context) error {
	uses := t.keyUsage.drain()
	if len(uses) == 0 {
		return nil
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		for _, keyID := range slices.Sorted(maps.Keys(uses)) { // keys are locked in the order of their ids
			if err := tx.RecordKeyUse(keyID, uses[keyID]); err != nil {
				return err
			}
		}
		return nil
	})
}

// flushSessionUsage locks one session at a time, because a user ends several in any order.
func (t *Tracker) flushSessionUsage(ctx context.Context) (err error) {
	for sessionID, at := range t.sessionUsage.drain() {
		err = errors.Join(err, access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return tx.RecordSessionUse(sessionID, at)
		}))
	}
	return err
}
