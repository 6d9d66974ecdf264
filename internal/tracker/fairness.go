package tracker

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/fairshare"
)

// maxWait is how long a request waits for its organisation's share of the processor before it is
// refused. Work that has started is never refused.
const maxWait = 10 * time.Second

// acquireSlot waits until the caller's organisation may do work that takes much of a processor, for an
// operation that the caller is allowed. The slot is released as soon as the work is done, and
// never held while a client is awaited or a transaction is open.
func (t *Tracker) acquireSlot(ctx context.Context, c Caller, operation string) (*fairshare.Slot, error) {
	begin := time.Now()
	slot, err := t.AcquireSlot(ctx, c)
	if err == nil && time.Since(begin) > recheckEvery { // rights may have been lost meanwhile
		if _, err = t.Reauthorize(ctx, c, operation); err != nil {
			slot.Release()
		}
	}
	return slot, err
}

// usualPage is how many records a page has when nobody asks for more.
const usualPage = 25

// acquirePageSlot is compute for a page of records, which may be of 64 KiB each and more. A page of the usual size
// is read beside the share.
func (t *Tracker) acquirePageSlot(ctx context.Context, c Caller, operation string, limit int) (*fairshare.Slot, error) {
	if limit <= usualPage {
		return t.shares.Slot(c.Organization.ID), nil
	}
	return t.acquireSlot(ctx, c, operation)
}

// AcquireSlot waits until the caller's organisation may do work that takes much of a processor, or
// refuses it when that takes too long.
func (t *Tracker) AcquireSlot(ctx context.Context, c Caller) (*fairshare.Slot, error) {
	wait, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	slot, err := t.shares.Acquire(wait, c.Organization.ID)
	if err != nil && ctx.Err() == nil {
		err = api.Refuse(api.CodeUnavailable,
			"The organisation has too much in progress that takes long to compute. Try again in a moment.")
	}
	return slot, err
}
