package tracker

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/fairshare"
)

// TestWaitingTooLongIsRefused: a request that waits too long for a slot is refused, and may be repeated.
func TestWaitingTooLongIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &Tracker{slots: fairshare.New(2)}
		c := access.Caller{Organization: api.OrganizationRef{ID: "org_one"}}
		first, err := tr.AcquireSlot(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = tr.AcquireSlot(t.Context(), c)
		var refused *api.Problem
		if !errors.As(err, &refused) || refused.Code != api.CodeUnavailable || time.Since(began) != maxSlotWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		first.Release()
		again, err := tr.AcquireSlot(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		again.Release()
	})
}
