package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
)

// Options are what a Gateway is made from.
type Options struct {
	Tracker   *tracker.Tracker
	RateLimit int // requests a minute for each key; 0 is no limit
	Failures  int // failed authentications a minute for each client address; 0 is failuresPerMinute
}

// Gateway takes calls of operations from front ends. All front ends of a node share one, so that they share its limits.
// It is safe for concurrent use.
type Gateway struct {
	Options
	perKey    *ratelimit.Limiter // nil is no limit
	failures  *ratelimit.Limiter
	streams   *concurrencyLimit
	downloads *concurrencyLimit
}

const (
	failuresPerMinute = 60
	streamsPerKey     = 20                     // event streams that a key may have open on a node
	downloadsPerKey   = 64                     // downloads that a key may have in progress on a node
	recheckEvery      = 500 * time.Millisecond // after which the rights of a caller are read again
)

// New returns a Gateway. It returns an error when the schemas of the operations cannot be compiled.
func New(o Options) (*Gateway, error) {
	if o.Failures == 0 {
		o.Failures = failuresPerMinute
	}
	g := &Gateway{Options: o, failures: ratelimit.New(o.Failures, nil),
		streams:   newConcurrencyLimit(streamsPerKey, "streams open"),
		downloads: newConcurrencyLimit(downloadsPerKey, "downloads in progress")}
	if o.RateLimit > 0 {
		g.perKey = ratelimit.New(o.RateLimit, nil)
	}
	return g, input.Prepare()
}

// Client is what a front end knows of the sender of a call.
type Client struct {
	Token     string
	Address   netip.Addr // the zero Addr when it is unknown
	UserAgent string
	RequestID string
	Operation *api.Operation // for which a refusal is counted; nil while it is unknown

	InterruptRead func() // makes the pending read of the body return, without blocking; nil when none can be pending
}

// Open returns a call of the caller whose API key the client has sent, and records the use of the key. The rate of
// failures is limited for each client address; a valid key is never refused because of it. The front end closes the
// call. Its context is ctx.
func (g *Gateway) Open(ctx context.Context, client Client) (*Call, error) {
	c, err := g.Tracker.AuthenticateRequest(ctx, client.Token)
	if err != nil {
		if keyID := access.RefusedKeyID(err); keyID != "" && client.Operation != nil {
			g.Tracker.NoteRefusal(keyID, api.CodeUnauthorized, client.Operation.ID)
		}
		return nil, g.LimitFailure(client, err)
	}
	c.Request = access.Request{ID: client.RequestID}
	if client.Address.IsValid() {
		c.Request.ClientAddress = client.Address.String()
	}
	g.Tracker.NoteUse(c, client.UserAgent)
	interrupt := client.InterruptRead
	if interrupt == nil {
		interrupt = func() {}
	}
	return &Call{Caller: c, Memory: g.Tracker.Reserve(c, interrupt), gateway: g, ctx: ctx, row: client.Operation}, nil
}

// LimitFailure counts a failed authentication of a client, and returns err, or a refusal when its address has too many.
// A front end calls it for a credential that it cannot read. It counts no error but unauthorized.
func (g *Gateway) LimitFailure(client Client, err error) error {
	if p, ok := errors.AsType[*api.Problem](err); !ok || p.Status != http.StatusUnauthorized {
		return err
	}
	d := g.failures.Allow(ratelimit.ClientKey(client.Address))
	if d.Allowed {
		return err
	}
	return rateLimited(d.RetryAfter, "Too many failed authentications from this address. Try again in "+
		ratelimit.Seconds(d.RetryAfter)+" s.")
}

// rateLimited returns the problem of a caller that has to wait.
func rateLimited(wait time.Duration, detail string) *api.Problem {
	p := api.NewProblem(api.CodeRateLimited, detail)
	p.RetryAfter = wait
	return p
}
