package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/store"
)

// JobFailures returns how many runs of a job failed on this node.
func (t *Tracker) JobFailures(job string) int64 {
	return t.jobFailures.of(job)
}

// FileFailures returns how many operations of this node could not reach or write the storage of files.
func (t *Tracker) FileFailures() int64 { return t.blobs.Failures() }

// FilesAvailable reports whether the storage of files answered last.
func (t *Tracker) FilesAvailable() bool { return t.blobs.Unavailable() == nil }

// EventStreams returns the number of open event streams of the API on this node.
func (t *Tracker) EventStreams() (n int) {
	t.broadcaster.mu.Lock()
	defer t.broadcaster.mu.Unlock()
	for _, s := range t.broadcaster.subscriptions {
		n += s.streams
	}
	return n
}

// StoreStats returns the statistics of this node's store.
func (t *Tracker) StoreStats() store.Stats { return t.access.Stats() }

// Instance is the state of the instance that its nodes share.
type Instance struct {
	Backlog store.Backlog    `json:"backlog"`
	Mails   MailBacklog      `json:"mails"`
	Jobs    []store.JobState `json:"jobs"`
	At      api.Time         `json:"at"`
}

// Instance reads the backlogs of deliveries and mails, and the jobs.
func (t *Tracker) Instance(ctx context.Context) (in Instance, err error) {
	q := t.access.Read(ctx)
	in.At = t.clock()
	if in.Backlog, err = q.Backlog(); err == nil {
		in.Mails, err = t.mailBacklog(q)
	}
	if err == nil {
		in.Jobs, err = q.Jobs()
	}
	return in, err
}
