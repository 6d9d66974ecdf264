package intake

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"bugslice/api"
)

// Refusal is the reason why a report was refused.
type Refusal string

// The reasons.
const (
	RefusedKey      Refusal = "key"      // unknown, paused or deleted
	RefusedOrigin   Refusal = "origin"   // not allowed
	RefusedRate     Refusal = "rate"     // a limit of a minute or an hour
	RefusedDay      Refusal = "day"      // a limit of the day
	RefusedToken    Refusal = "token"    // missing, forged, expired, of another page, or used
	RefusedWork     Refusal = "work"     // unsolved
	RefusedDwell    Refusal = "dwell"    // too early
	RefusedHoneypot Refusal = "honeypot" // a field that people do not see
	RefusedIdentity Refusal = "identity" // not signed, or wrongly
	RefusedReport   Refusal = "report"   // invalid or too large
)

// Refusals lists the reasons.
var Refusals = []Refusal{RefusedKey, RefusedOrigin, RefusedRate, RefusedDay, RefusedToken, RefusedWork, RefusedDwell, RefusedHoneypot,
	RefusedIdentity, RefusedReport}

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

func newRefusals() refusals {
	return refusals{total: map[Refusal]int64{}, pending: map[ofSource]int64{}}
}

// refuse counts a refusal and returns its problem. A source is none while it is unknown.
func (s *Server) refuse(sourceID string, why Refusal, p *api.Problem) error {
	s.refused.mu.Lock()
	defer s.refused.mu.Unlock()
	s.refused.total[why]++
	key := ofSource{sourceID, why}
	if sourceID != "" && (len(s.refused.pending) < maxPending || s.refused.pending[key] > 0) {
		s.refused.pending[key]++
	}
	return p
}

// Refused returns how many reports this node has refused for a reason.
func (s *Server) Refused(why Refusal) int64 {
	s.refused.mu.Lock()
	defer s.refused.mu.Unlock()
	return s.refused.total[why]
}

const (
	flushEvery  = 5 * time.Second
	attachEvery = time.Minute
	stuckAfter  = time.Minute // after which a file that is complete is attached without its sender
)

// Run stores the counts of refusals and attaches the files whose senders went away, until ctx ends.
func (s *Server) Run(ctx context.Context) {
	flush, attach := time.NewTicker(flushEvery), time.NewTicker(attachEvery)
	defer flush.Stop()
	defer attach.Stop()
	for {
		select {
		case <-flush.C:
			s.warn("store refused reports", s.Flush(ctx))
		case <-attach.C:
			s.warn("attach files of visitors", s.AttachStuck(ctx))
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			s.warn("store refused reports", s.Flush(last))
			cancel()
			return
		}
	}
}

// warn logs an error of background work, which is tried again.
func (s *Server) warn(work string, err error) {
	if err != nil && s.Log != nil {
		s.Log.Warn("background work failed and will be retried", "work", work, "error", err)
	}
}

// Flush adds the refusals of sources to the counts of their days. What cannot be stored is kept for the next time.
func (s *Server) Flush(ctx context.Context) error {
	s.refused.mu.Lock()
	pending := s.refused.pending
	s.refused.pending = map[ofSource]int64{}
	s.refused.mu.Unlock()
	var failed error
	for key, n := range maps.All(pending) {
		if err := s.Tracker.CountRefused(ctx, key.source, string(key.why), n); err != nil {
			failed = errors.Join(failed, err)
			s.refused.mu.Lock()
			s.refused.pending[key] += n
			s.refused.mu.Unlock()
		}
	}
	return failed
}
