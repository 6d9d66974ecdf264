// Package tracker holds the rules: who may do what, and what happens then. Every door (HTTP,
// web, MCP, the command line) passes here. Each method takes the Caller as an argument and
// checks its right first; each mutation writes its event in its own transaction.
package tracker

import (
	"errors"
	"log/slog"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/cursor"
	"bugslice/internal/fairshare"
	"bugslice/internal/secret"
	"bugslice/internal/store"
)

// Tracker is the service behind every door. It is safe for concurrent use.
type Tracker struct {
	store   *store.Store
	cursors *cursor.Codec
	secrets *secret.Ring
	sender  Sender
	baseURL string
	kept    time.Duration
	log     *slog.Logger
	now     func() time.Time
	used    usage
	subs    subscriptions
	feed    feed

	blobs     blob.Store
	quota     int64
	maxUpload int64
	redactors redactors
	turns     *turns
	shares    *fairshare.Limiter
}

// Options are what a Tracker is made from. BaseURL has no trailing slash. Sender sends the
// messages of webhooks; without one none can be made. Kept is how long events can be read and
// finished deliveries stay, 30 days when zero. Now is the clock, time.Now when nil.
type Options struct {
	Store   *store.Store
	Secrets *secret.Ring
	Sender  Sender
	BaseURL string
	Kept    time.Duration
	Blobs   blob.Store
	Quota   int64 // bytes of the files of a workspace, 0 for any
	Upload  int64 // bytes of one file, 100 MiB when zero
	Log     *slog.Logger
	Now     func() time.Time
}

// DefaultUpload is how many bytes a file may have when nothing else is said.
const DefaultUpload = 100 << 20

// EventsKept is how long the log of a workspace can be read when nothing else is said.
const EventsKept = 30 * 24 * time.Hour

// New returns a Tracker. Its background work begins with Run.
func New(o Options) *Tracker {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Upload == 0 {
		o.Upload = DefaultUpload
	}
	if o.Kept == 0 {
		o.Kept = EventsKept
	}
	return &Tracker{store: o.Store, cursors: cursor.New(o.Secrets), secrets: o.Secrets, sender: o.Sender, baseURL: o.BaseURL, kept: o.Kept,
		blobs: o.Blobs, quota: o.Quota, maxUpload: o.Upload, turns: newTurns(), shares: newShares(), log: o.Log, now: o.Now, used: usage{seen: map[string]api.Time{}}, subs: subscriptions{of: map[string]subscribed{}}}
}

func (t *Tracker) clock() api.Time { return api.At(t.now()) }

// hidden refuses what the caller cannot see, for whatever reason, like what does not exist.
func hidden(err error, what string) error {
	var p *api.Problem
	if errors.As(err, &p) {
		return api.NotFound(what)
	}
	return orNotFound(err, what)
}

// orNotFound turns a missing record into the refusal that also hides what the caller cannot see.
func orNotFound(err error, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NotFound(what)
	}
	return err
}
