package web

import (
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/ratelimit"
	"bugslice/internal/web/page"
)

// Rates are the requests a minute, of pages with their fragments, files and streams. Assets are not counted. The zero
// value has no limits.
type Rates struct {
	Session int // of a session
	Share   int // of a client address with a share
	Visitor int // of a client address without either
}

// DefaultRates leave room for the live updates of many open pages, and for an office behind one address.
var DefaultRates = Rates{Session: 3000, Share: 1200, Visitor: 600}

// rates limit the requests for pages.
type rates struct{ sessions, shares, visitors *ratelimit.Limiter }

// newRates returns nil for no limits.
func newRates(r Rates, now func() time.Time) *rates {
	if r == (Rates{}) {
		return nil
	}
	return &rates{ratelimit.New(r.Session, now), ratelimit.New(r.Share, now), ratelimit.New(r.Visitor, now)}
}

// count counts a request, or refuses it when too many came before. No rates refuse nothing.
func (r *rates) count(q *page.Request) error {
	if r == nil {
		return nil
	}
	c := q.Caller()
	limit, key := r.visitors, c.Account()
	switch c.Type {
	case access.UserCaller:
		limit = r.sessions
	case access.GuestCaller:
		limit, key = r.shares, c.ID+" "+ratelimit.ClientKey(q.Client.Address)
	case access.ShareCaller:
		limit, key = r.shares, key+" "+ratelimit.ClientKey(q.Client.Address)
	}
	d := limit.Allow(key)
	if d.Allowed {
		return nil
	}
	p := api.NewProblem(api.CodeRateLimited,
		"Too many requests came in the last minute. Try again in "+ratelimit.Seconds(d.RetryAfter)+" s.")
	p.RetryAfter = d.RetryAfter
	return p
}
