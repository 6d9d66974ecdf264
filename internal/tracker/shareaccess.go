package tracker

import (
	"context"
	"errors"
	"maps"
	"slices"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// OpenShare returns the caller of the link of a share, and counts the opening. A link that does not work is refused in the same way
// whatever the reason, and more slowly after too many failures of an address.
func (t *Tracker) OpenShare(ctx context.Context, from Client, text string) (Caller, error) {
	c, err := t.shareCaller(ctx, text)
	if errors.Is(err, errNoShare) {
		a, wait := t.shareFailures.Reserve(network(from.Address))
		if wait > 0 {
			p := api.NewProblem(api.CodeRateLimited, "Too many links from this address did not work. Wait before the next one.")
			p.RetryAfter = wait
			return Caller{}, p
		}
		a.Fail()
	}
	if err != nil {
		return Caller{}, err
	}
	c.Request = from.Request
	t.shareOpenings.add(c.ID, network(from.Address), from.Request, t.now())
	return c, nil
}

func (t *Tracker) shareCaller(ctx context.Context, text string) (Caller, error) {
	if kind, ok := token.Parse(text); !ok || kind != token.Share {
		return Caller{}, errNoShare
	}
	hash := token.Hash(text)
	s, err := t.store.Read(ctx).ShareOfToken(hash)
	if errors.Is(err, store.ErrNotFound) {
		err = errNoShare
	}
	if err != nil {
		return Caller{}, err
	}
	return callerOfShare(s, hash, t.clock())
}

// flushOpenings stores the collected openings, and records an event for a share that has none within openingInterval.
func (t *Tracker) flushOpenings(ctx context.Context) (err error) {
	pending := t.shareOpenings.drain()
	for _, shareID := range slices.Sorted(maps.Keys(pending)) {
		err = errors.Join(err, systemChange(t, ctx, func(tx *store.Tx) error { return t.recordOpenings(tx, shareID, pending[shareID]) }))
	}
	return err
}

func (t *Tracker) recordOpenings(tx *store.Tx, shareID string, o opened) error {
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
	c := system(s.OrgID)
	c.Request = o.request
	return t.publish(tx, c, s.WorkspaceID, event{api.EventShareOpened, s.SliceID, t.showShare(s), nil})
}
