package tracker

import (
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/throttle"
)

// shareLimit is how many links that do not work an address may open. A link that works is never refused because of
// them.
var shareLimit = throttle.Limit{Failures: 20, Window: 10 * time.Minute, Pause: 30 * time.Second}

const (
	visitPause      = 30 * time.Minute // after which a request of the same address counts as another opening
	maxVisits       = 10_000           // that are remembered
	openingInterval = time.Hour        // between two events of openings of a share
)

// openings collects the openings of shares until they are stored. Requests of one address within visitPause are one
// opening.
type openings struct {
	mu      sync.Mutex
	pending map[string]opened    // by share id
	visits  map[string]time.Time // the last request, by share id and network
}

// opened are openings of a share.
type opened struct {
	count   int64
	at      api.Time       // of the last request
	request access.Request // that was an opening last
}

func newOpenings() *openings {
	return &openings{pending: map[string]opened{}, visits: map[string]time.Time{}}
}

// add adds a request with the link of a share.
func (o *openings) add(shareID, network string, r access.Request, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	visit := shareID + " " + network
	last, known := o.visits[visit]
	if !known {
		evict(o.visits, maxVisits)
	}
	o.visits[visit] = now
	p := o.pending[shareID]
	p.at = api.At(now)
	if !known || now.Sub(last) >= visitPause {
		p.count, p.request = p.count+1, r
	}
	o.pending[shareID] = p
}

// drain removes and returns the collected openings by share id.
func (o *openings) drain() map[string]opened {
	o.mu.Lock()
	defer o.mu.Unlock()
	pending := o.pending
	o.pending = map[string]opened{}
	return pending
}
