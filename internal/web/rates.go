package web

import (
	"bugslice/api"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// Requests a minute, of pages with their fragments, files and streams. Assets are not counted.
const (
	sessionRate = 3000 // of a session
	shareRate   = 1200 // of a client address with a share
	visitorRate = 600  // of a client address without either
)

// rates limit the requests for pages.
type rates struct{ sessions, shares, visitors *ratelimit.Limiter }

func newRates() *rates {
	return &rates{ratelimit.New(sessionRate, nil), ratelimit.New(shareRate, nil), ratelimit.New(visitorRate, nil)}
}

// count counts a request, or refuses it when too many came before. No rates refuse nothing.
func (r *rates) count(q *page.Request) error {
	if r == nil {
		return nil
	}
	c := q.Caller()
	limit, key := r.visitors, c.Account()
	switch c.Type {
	case tracker.UserCaller:
		limit = r.sessions
	case tracker.ShareCaller:
		limit, key = r.shares, key+" "+ratelimit.ClientKey(q.Client.Address)
	}
	d := limit.Allow(key)
	if d.Allowed {
		return nil
	}
	p := api.NewProblem(api.CodeRateLimited, "Too many requests came in the last minute. Try again in "+seconds(d.RetryAfter)+" s.")
	p.RetryAfter = d.RetryAfter
	return p
}
