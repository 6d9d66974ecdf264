package intake

import "sync"

// Refusal is the reason why a report was refused.
type Refusal string

// The reasons.
const (
	RefusedKey      Refusal = "key"       // unknown, paused or deleted
	RefusedOrigin   Refusal = "origin"    // not allowed
	RefusedRate     Refusal = "rate"      // a limit of a minute or an hour
	RefusedDay      Refusal = "daily"     // a limit of the day
	RefusedToken    Refusal = "token"     // missing, forged, expired, of another page, or used
	RefusedWork     Refusal = "work"      // unsolved
	RefusedDwell    Refusal = "dwell"     // too early
	RefusedHoneypot Refusal = "honeypot"  // a field that people do not see
	RefusedIdentity Refusal = "signature" // not signed, or wrongly
	RefusedSize     Refusal = "size"      // too large
	RefusedReport   Refusal = "report"    // not valid
)

// Refusals lists the reasons.
var Refusals = []Refusal{RefusedKey, RefusedOrigin, RefusedRate, RefusedDay, RefusedToken, RefusedWork, RefusedDwell,
	RefusedHoneypot,
	RefusedIdentity, RefusedSize, RefusedReport}

// refusals counts refused reports: all of this node, and those of sources that are not stored yet.
type refusals struct {
	mu      sync.Mutex
	total   map[Refusal]int64
	pending map[ofSource]int64
}

type ofSource struct {
	source string
	why    Refusal
}

// maxPending bounds the memory between two flushes.
const maxPending = 10_000

func newRefusals() *refusals {
	return &refusals{total: map[Refusal]int64{}, pending: map[ofSource]int64{}}
}

// add counts a refusal. A source is none while it is unknown.
func (r *refusals) add(sourceID string, why Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total[why]++
	key := ofSource{sourceID, why}
	if sourceID != "" && (len(r.pending) < maxPending || r.pending[key] > 0) {
		r.pending[key]++
	}
}

// of returns how many reports were refused for a reason.
func (r *refusals) of(why Refusal) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total[why]
}

// take returns the counts that are not stored, and forgets them.
func (r *refusals) take() map[ofSource]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	pending := r.pending
	r.pending = map[ofSource]int64{}
	return pending
}

// giveBack adds counts that could not be stored.
func (r *refusals) giveBack(key ofSource, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending[key] += n
}
