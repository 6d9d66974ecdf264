package deliver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"bugslice/internal/tracker"
)

// Dispatcher leases deliveries and attempts them.
type Dispatcher struct {
	tracker  *tracker.Tracker
	log      *slog.Logger
	slots    chan struct{} // has an element for each attempt in progress
	finished chan struct{} // receives when an attempt has ended
	attempts sync.WaitGroup
}

const (
	// maxAttempts bounds the attempts in progress on a node. A webhook has at most four, and one while its receiver
	// fails, so that a few slow receivers cannot use all of them.
	maxAttempts = 1024

	pollInterval = time.Second // for deliveries that other nodes have queued, and for retries
)

// New returns a Dispatcher.
func New(t *tracker.Tracker, log *slog.Logger) *Dispatcher {
	return &Dispatcher{tracker: t, log: log, slots: make(chan struct{}, maxAttempts), finished: make(chan struct{}, 1)}
}

// Run delivers until ctx ends, and then waits for the attempts in progress.
func (d *Dispatcher) Run(ctx context.Context) {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	defer d.attempts.Wait()
	for ctx.Err() == nil {
		published := d.tracker.Published()
		if d.startAttempts(ctx) {
			continue
		}
		select {
		case <-published:
		case <-d.finished:
		case <-poll.C:
		case <-ctx.Done():
		}
	}
}

// startAttempts leases deliveries once and starts their attempts. It reports whether more deliveries may be due. It
// leases nothing while half of the slots are in use, so that a slot is free for each leased delivery.
func (d *Dispatcher) startAttempts(ctx context.Context) bool {
	if len(d.slots) >= maxAttempts/2 {
		return false
	}
	// The end of ctx does not interrupt a lease: a delivery leased meanwhile would wait until its lease expires.
	leasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTimeout)
	defer cancel()
	leased, err := d.tracker.LeaseDeliveries(leasing)
	if err != nil && ctx.Err() == nil {
		d.log.Warn("deliveries could not be leased; it is tried again", "error", err)
		select { // a retry at once would fail too
		case <-time.After(pollInterval):
		case <-ctx.Done():
		}
	}
	for _, lease := range leased {
		d.slots <- struct{}{}
		d.attempts.Go(func() { d.attempt(context.WithoutCancel(ctx), lease) })
	}
	return len(leased) > 0
}

// attempt makes one attempt of a delivery. If its result cannot be stored, the lease expires and the attempt is
// repeated.
func (d *Dispatcher) attempt(ctx context.Context, lease tracker.Lease) {
	ctx, cancel := context.WithTimeout(ctx, 2*attemptTimeout)
	defer cancel()
	if err := d.tracker.Deliver(ctx, lease); err != nil {
		d.log.Warn("a delivery could not be attempted; it is tried again", "delivery", lease.ID, "error", err)
	}
	<-d.slots
	select {
	case d.finished <- struct{}{}:
	default:
	}
}
