package intake

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
)

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
	var failed error
	for key, n := range s.refused.take() {
		if err := s.Tracker.Visitors().CountRefused(ctx, key.source, string(key.why), n); err != nil {
			failed = errors.Join(failed, err)
			s.refused.giveBack(key, n)
		}
	}
	return failed
}

// attachBatch is the number of files that AttachStuck attaches at once.
const attachBatch = 20

// AttachStuck attaches files that are complete and whose senders did not wait: their node was stopped, or the storage was away.
func (s *Server) AttachStuck(ctx context.Context) error {
	now := s.Now()
	stuck, err := s.rights.Read(ctx).Uploads().Unattached(api.At(now.Add(-stuckAfter)), api.At(now), attachBatch)
	for _, u := range stuck {
		if failed := s.attach(ctx, access.Request{}, u.Hash); failed != nil {
			if _, refused := errors.AsType[*api.Problem](failed); !refused {
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}
