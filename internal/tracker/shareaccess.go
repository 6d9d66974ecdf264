package tracker

import (
	"context"
	"errors"
	"maps"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// OpenShare returns the caller of the link of a share, and counts the opening. A link that does not work is refused
// in the same way whatever the reason, and more slowly after too many failures of an address.
func (t *Tracker) OpenShare(ctx context.Context, from Client, text string) (access.Caller, error) {
	c, err := t.access.AuthenticateShare(ctx, text)
	if errors.Is(err, access.ErrNoShare) {
		a, wait := t.shareFailures.Reserve(network(from.Address))
		if wait > 0 {
			p := api.NewProblem(api.CodeRateLimited,
				"Too many links from this address did not work. Wait before the next one.")
			p.RetryAfter = wait
			return access.Caller{}, p
		}
		a.Fail()
	}
	if err != nil {
		return access.Caller{}, err
	}
	c.Request = from.Request
	t.shareOpenings.add(c.ID, network(from.Address), from.Request, t.now())
	return c, nil
}

// flushOpenings stores the collected openings, and records an event for a share that has none within openingInterval.
func (t *Tracker) flushOpenings(ctx context.Context) (err error) {
	pending := t.shareOpenings.drain()
	for _, shareID := range slices.Sorted(maps.Keys(pending)) {
		err = errors.Join(err, access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return t.recordOpenings(tx, shareID, pending[shareID])
		}))
	}
	return err
}

func (t *Tracker) recordOpenings(tx *access.Tx, shareID string, o opened) error {
	err := tx.RecordOpenings(shareID, o.count, o.at)
	switch {
	case errors.Is(err, store.ErrNotFound): // it was revoked meanwhile
		return nil
	case err != nil || o.count == 0:
		return err
	}
	due, err := tx.MarkOpeningRecorded(shareID, t.clock(), api.At(t.now().Add(-openingInterval)))
	if err != nil || !due {
		return err
	}
	s, err := tx.Share(shareID)
	if err != nil {
		return err
	}
	c := access.System(s.OrgID)
	c.Request = o.request
	return t.publish(tx, c, s.WorkspaceID, event{Type: api.EventShareOpened, ID: s.SliceID, Subject: t.showShare(s)})
}
