package gateway

import (
	"context"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/operations"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
)

// Call is one call of an operation, from its credential to its response. It is for one goroutine. Its steps are taken
// in the order in which the package lists them.
type Call struct {
	Caller    access.Caller
	Memory    *admission.Reservation // of the body
	Rate      *ratelimit.Decision    // the rate of the key when it was counted last; nil without a limit
	Operation *operations.Operation  // set by Begin
	Input     any                    // set by Bind: the input.Valid of the operation's input type

	// Recheck refuses a caller that has lost the right to the response since the first call of Recheck. It reads the
	// rights at most twice a second. Begin sets it.
	Recheck func() error

	gateway  *Gateway
	ctx      context.Context
	row      *api.Operation // nil while it is unknown
	begun    time.Time
	releases []func()
}

// Close releases what the call has reserved. err is that with which it ended; a refusal is counted for the key.
func (c *Call) Close(err error) {
	if err != nil && c.row != nil {
		p, _ := tracker.ProblemOf(c.ctx, err)
		c.gateway.Tracker.NoteRefusal(c.Caller.KeyID(), p.Code, c.row.ID)
	}
	c.Memory.Release()
	for _, release := range c.releases {
		release()
	}
}

// Count counts the call against the rate of its key, or refuses it.
func (c *Call) Count() error { return c.count(1) }

// count counts n requests of the key, or refuses them when the key has fewer left.
func (c *Call) count(n int) error {
	if c.gateway.perKey == nil || n == 0 {
		return nil
	}
	d := c.gateway.perKey.AllowN(c.Caller.KeyID(), n)
	c.Rate = &d
	if d.Allowed {
		return nil
	}
	return rateLimited(d.RetryAfter,
		fmt.Sprintf("The key has used its %d requests a minute, or a batch has more items than are left. Try again in %s s.",
			d.Limit, ratelimit.Seconds(d.RetryAfter)))
}

// Begin says which operation is called. It refuses one that the caller has no scope for, one that stores something
// while the disk is nearly full, and a download of a key that has too many in progress.
func (c *Call) Begin(op *operations.Operation) error {
	c.Operation, c.row, c.begun = op, op.Operation, time.Now()
	if err := c.Caller.Allow(op.ID); err != nil {
		return err
	}
	if err := c.gateway.Tracker.CheckDisk(op.ID); err != nil {
		return err
	}
	c.Recheck = c.gateway.Tracker.ResponseGuard(c.ctx, c.Caller, op.ID)
	if op.OpenFile != nil || op.WriteJSON != nil {
		return c.acquire(c.gateway.downloads)
	}
	return nil
}

// acquire counts the response until the call is closed.
func (c *Call) acquire(limit *concurrencyLimit) error {
	release, err := limit.acquire(c.Caller.KeyID())
	if err == nil {
		c.releases = append(c.releases, release)
	}
	return err
}

// Bind validates the input. The body was read under Memory. After more than half a second the rights are read again.
// A batch counts against the rate as one request for each item.
func (c *Call) Bind(source input.Source) error {
	return c.bind(source.Body, func() (input.Source, error) { return source, nil })
}

// BindArguments is Bind for an input that is one JSON object (input.Binding.Arguments).
func (c *Call) BindArguments(object []byte) error {
	return c.bind(object, func() (input.Source, error) { return c.Operation.Input.Arguments(object) })
}

func (c *Call) bind(body []byte, source func() (input.Source, error)) error {
	in, err := c.validate(body, source)
	if err != nil {
		return err
	}
	readsBody := c.Operation.Input.Body != nil && c.reads() // a write reads the rights in its transaction
	if readsBody || time.Since(c.begun) > recheckEvery {
		if err := c.reauthorize(); err != nil {
			return err
		}
	}
	c.Input = in
	return c.countItems()
}

// largeBody is the size in bytes from which a body is bound in a slot of the caller's organisation.
const largeBody = 8 << 10

// validate binds a source, whose body is processed within the bounds of the node. A large body waits for a slot.
func (c *Call) validate(body []byte, source func() (input.Source, error)) (any, error) {
	if err := c.Memory.StartProcessing(c.ctx, evidence.Size(body)); err != nil {
		return nil, err
	}
	if len(body) >= largeBody {
		slot, err := c.gateway.Tracker.AcquireSlot(c.ctx, c.Caller)
		if err != nil {
			return nil, err
		}
		defer slot.Release()
	}
	s, err := source()
	if err != nil {
		return nil, err
	}
	in, err := c.Operation.Bind(s)
	if err != nil {
		err = c.gateway.Tracker.WithReferenceFaults(c.ctx, c.Caller, c.row.ID, s, err)
	}
	return in, err
}

// countItems counts the items of a batch as requests of the key, except for the first, which Count has counted. A batch
// counts as no more requests than the key has in a minute.
func (c *Call) countItems() error {
	items := c.Input.(interface{ Size() int }).Size()
	if items == 1 {
		return nil
	}
	return c.count(min(items, c.gateway.RateLimit) - 1)
}

func (c *Call) reads() bool { return c.Operation.Effect == api.Reads }

// reauthorize refuses a caller that has lost the right to the operation.
func (c *Call) reauthorize() error {
	_, err := c.gateway.Tracker.Reauthorize(c.ctx, c.Caller, c.Operation.ID)
	return err
}
