package deliver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"bugslice/internal/tracker"
)

// Dispatcher claims deliveries and carries them out, for as long as it runs.
type Dispatcher struct {
	tracker *tracker.Tracker
	log     *slog.Logger
	slots   chan struct{} // one for each try under way
	done    chan struct{} // a try has ended, so there may be room for another
	work    sync.WaitGroup
}

const (
	// maxTries bounds the tries under way on a node. A webhook has four at most, and one while
	// its receiver takes nothing, so that this many are never of a few slow receivers.
	maxTries = 1024

	pollEvery = time.Second // for what other nodes have queued, and for retries
)

// New returns a Dispatcher. Its work begins with Run.
func New(t *tracker.Tracker, log *slog.Logger) *Dispatcher {
	return &Dispatcher{tracker: t, log: log, slots: make(chan struct{}, maxTries), done: make(chan struct{}, 1)}
}

// Run delivers until ctx ends, then waits for the tries under way.
func (d *Dispatcher) Run(ctx context.Context) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	defer d.work.Wait()
	for ctx.Err() == nil {
		published := d.tracker.Published()
		if d.round(ctx) {
			continue
		}
		select {
		case <-published:
		case <-d.done:
		case <-poll.C:
		case <-ctx.Done():
		}
	}
}

// round claims once, and says whether there may be more to claim.
func (d *Dispatcher) round(ctx context.Context) bool {
	if len(d.slots) >= maxTries/2 {
		return false
	}
	// Not under ctx: what was claimed while it ended would wait for its lease.
	claiming, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTime)
	defer cancel()
	claims, err := d.tracker.LeaseDeliveries(claiming)
	if err != nil && ctx.Err() == nil {
		d.log.Warn("deliveries could not be claimed; it is tried again", "error", err)
		select { // what fails at once would fail at once again
		case <-time.After(pollEvery):
		case <-ctx.Done():
		}
	}
	for _, c := range claims {
		d.slots <- struct{}{}
		d.work.Go(func() { d.try(context.WithoutCancel(ctx), c) })
	}
	return len(claims) > 0
}

// try carries out one claim. What cannot be stored stays leased, and comes back by itself.
func (d *Dispatcher) try(ctx context.Context, c tracker.Lease) {
	ctx, cancel := context.WithTimeout(ctx, 2*tryTime)
	defer cancel()
	if err := d.tracker.Deliver(ctx, c); err != nil {
		d.log.Warn("a delivery could not be carried out; it is tried again", "delivery", c.ID, "error", err)
	}
	<-d.slots
	select {
	case d.done <- struct{}{}:
	default:
	}
}
