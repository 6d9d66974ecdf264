// Package tracker holds the rules: who may do what, and what happens then. Every door (HTTP,
// web, MCP, the command line) passes here. Each method takes the Caller as an argument and
// checks its right first; each mutation writes its event in its own transaction.
package tracker

import (
	"errors"
	"log/slog"
	"time"

	"bugslice/api"
	"bugslice/internal/cursor"
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
	Log     *slog.Logger
	Now     func() time.Time
}

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
	if o.Kept == 0 {
		o.Kept = EventsKept
	}
	return &Tracker{store: o.Store, cursors: cursor.New(o.Secrets), secrets: o.Secrets, sender: o.Sender, baseURL: o.BaseURL, kept: o.Kept,
		log: o.Log, now: o.Now, used: usage{seen: map[string]api.Time{}}, subs: subscriptions{of: map[string]subscribed{}}}
}

func (t *Tracker) clock() api.Time { return api.At(t.now()) }

// orNotFound turns a missing record into the refusal that also hides what the caller cannot see.
func orNotFound(err error, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NotFound(what)
	}
	return err
}
