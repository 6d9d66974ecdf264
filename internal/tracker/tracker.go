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
	baseURL string
	log     *slog.Logger
	now     func() time.Time
	used    usage
}

// Options are what a Tracker is made from. BaseURL has no trailing slash; Now is the clock,
// time.Now when nil.
type Options struct {
	Store   *store.Store
	Secrets *secret.Ring
	BaseURL string
	Log     *slog.Logger
	Now     func() time.Time
}

// New returns a Tracker. Its background work begins with Run.
func New(o Options) *Tracker {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Tracker{store: o.Store, cursors: cursor.New(o.Secrets), baseURL: o.BaseURL, log: o.Log, now: o.Now,
		used: usage{seen: map[string]api.Time{}}}
}

func (t *Tracker) clock() api.Time { return api.At(t.now()) }

// orNotFound turns a missing record into the refusal that also hides what the caller cannot see.
func orNotFound(err error, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NotFound(what)
	}
	return err
}
