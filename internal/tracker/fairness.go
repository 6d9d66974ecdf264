package tracker

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/fairshare"
)

// maxSlotWait is the time for which a request waits for a slot of its organisation before it is refused.
const maxSlotWait = 10 * time.Second

// acquireSlotFor is AcquireSlot for an operation: after a long wait it checks the caller's right again. Whoever
// acquires a slot releases it after the work, and never holds it during a transaction or while it waits for a client.
func (t *Tracker) acquireSlotFor(ctx context.Context, c access.Caller, operation string) (*fairshare.Slot, error) {
	begin := time.Now()
	slot, err := t.AcquireSlot(ctx, c)
	if err == nil && time.Since(begin) > access.RecheckEvery { // the rights may have changed meanwhile
		if _, err = t.Reauthorize(ctx, c, operation); err != nil {
			slot.Release()
		}
	}
	return slot, err
}

// defaultPageSize is the default limit of a list.
const defaultPageSize = 25

// acquirePageSlot acquires a slot for a page of records, which may have 64 KiB each and more. A page of at most the
// default size does not wait: it gets a slot that is not acquired.
func (t *Tracker) acquirePageSlot(ctx context.Context, c access.Caller, operation string, limit int,
) (*fairshare.Slot, error) {
	if limit <= defaultPageSize {
		return t.slots.Slot(c.Organization.ID), nil
	}
	return t.acquireSlotFor(ctx, c, operation)
}

// AcquireSlot waits for a slot of the caller's organisation for computation-heavy work, or refuses the request after
// maxSlotWait.
func (t *Tracker) AcquireSlot(ctx context.Context, c access.Caller) (*fairshare.Slot, error) {
	wait, cancel := context.WithTimeout(ctx, maxSlotWait)
	defer cancel()
	slot, err := t.slots.Acquire(wait, c.Organization.ID)
	if err != nil && ctx.Err() == nil {
		err = api.NewProblem(api.CodeUnavailable,
			"The organisation has too many expensive requests in progress. Try again in a moment.")
	}
	return slot, err
}
