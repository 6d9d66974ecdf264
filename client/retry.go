package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"bugslice/api"
)

// do sends a request until receive has taken a response that is a success, or there is an error that another attempt
// would not change.
func (c *Client) do(ctx context.Context, r *request, receive func(*http.Response) error) error {
	maybeDone := false // an attempt may have been carried out
	for attempt := 1; ; attempt++ {
		res, err := c.attempt(ctx, r) //nolint:bodyclose // receive closes it
		if err == nil {
			err = receive(res)
		}
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ended(ctx)
		}
		p, refused := errors.AsType[*api.Problem](err)
		if maybeDone && refused && p.Status == http.StatusNotFound && r.op.Method == http.MethodDelete {
			return nil // an attempt before has deleted it
		}
		wait := backoff(attempt)
		if refused {
			wait = max(wait, p.RetryAfter)
		}
		if attempt >= c.o.Attempts || wait > c.o.MaxWait || !mayRepeat(r, err) {
			return err
		}
		maybeDone = maybeDone || mayBeDone(err)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// mayRepeat reports whether a request that failed may be sent again.
func mayRepeat(r *request, err error) bool {
	if r.body != nil && r.body.once {
		return false
	}
	p, refused := errors.AsType[*api.Problem](err)
	switch {
	case errors.Is(err, ErrTooLarge) || isUntrusted(err):
		return false
	case mayBeDone(err):
		return changesOnce(r)
	case !refused:
		return true
	}
	return p.Code != api.CodeTooBroad &&
		(p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable)
}

// mayBeDone reports whether the server may have carried out a request that failed: the response was lost, a gateway
// failed, or the service lost its database while it stored the change, which it says as unavailable.
func mayBeDone(err error) bool {
	p, refused := errors.AsType[*api.Problem](err)
	if !refused {
		return !neverSent(err)
	}
	return p.Status == http.StatusBadGateway || p.Status == http.StatusGatewayTimeout || p.Code == api.CodeUnavailable
}

// changesOnce reports whether a request that is sent twice changes nothing the second time.
func changesOnce(r *request) bool {
	switch r.op.Method {
	case http.MethodPost:
		return r.op.Effect == api.Reads || r.wire.Header.Get(idempotencyKey) != ""
	case http.MethodPatch:
		return false
	}
	return true
}

// neverSent reports whether a request failed before the server could get it.
func neverSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// backoff returns how long to wait after an attempt: a random time of 0.1 to 0.2 seconds, and twice as long after
// each further attempt, up to 10 seconds.
func backoff(attempt int) time.Duration {
	longest := min(200*time.Millisecond<<min(attempt-1, 10), 10*time.Second)
	return longest/2 + rand.N(longest/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	}
}

// ended returns the error of a context that has ended, with its cause.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(ctx.Err(), cause) {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// isUntrusted reports whether the certificate of the server was refused.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// retryAfter returns the wait that a response asks for; 0 for none.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
