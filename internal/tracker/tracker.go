// Package tracker holds the rules: who may do what, and what happens then. Every door (HTTP,
// web, MCP, the command line) passes here. Each method takes the Caller as an argument and
// checks its right first; each mutation writes its event in its own transaction.
package tracker

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/blob"
	"bugslice/internal/cursor"
	"bugslice/internal/disk"
	"bugslice/internal/fairshare"
	"bugslice/internal/secret"
	"bugslice/internal/store"
)

// Tracker is the service behind every door. It is safe for concurrent use.
type Tracker struct {
	store          *store.Store
	cursors        *cursor.Codec
	secrets        *secret.Ring
	sender         Sender
	baseURL        string
	eventRetention time.Duration
	log            *slog.Logger
	now            func() time.Time
	keyUsage       keyUsage
	subscriptions  subscriptions
	feed           broadcaster

	blobs       blob.Store
	quotaBytes  int64
	dailySlices int64
	disk        *disk.Watch
	maxUpload   int64
	redactors   redactorCache
	bodies      *admission.Limiter
	shares      *fairshare.Limiter
	derived     *derived
	fence       fence
	removal     removal

	databaseClock func(context.Context) (time.Time, bool, error)
	suspensions   suspensions
	skew          skewLog
}

// Options are what a Tracker is made from. BaseURL has no trailing slash. Disk says
// whether there is room for what is stored, nil that there is. Sender sends the
// messages of webhooks; without one none can be made. Kept is how long events can be read and
// finished deliveries stay, 30 days when zero. Now is the clock, time.Now when nil.
type Options struct {
	Store          *store.Store
	Secrets        *secret.Ring
	Sender         Sender
	BaseURL        string
	EventRetention time.Duration
	Blobs          blob.Store
	QuotaBytes     int64 // bytes of a workspace, 0 for any
	DailySlices    int64 // slices and occurrences filed in a workspace in a day, 0 for any
	Disk           *disk.Watch
	MaxUploadBytes int64 // bytes of one file, 100 MiB when zero
	Log            *slog.Logger
	Now            func() time.Time

	// DatabaseClock tells the time of the database, and whether it has a clock of its own. It is the
	// store's when nil.
	DatabaseClock func(context.Context) (time.Time, bool, error)
}

// DefaultMaxUploadBytes is how many bytes a file may have when nothing else is said.
const DefaultMaxUploadBytes = 100 << 20

// DefaultEventRetention is how long the log of a workspace can be read when nothing else is said.
const DefaultEventRetention = 30 * 24 * time.Hour

// New returns a Tracker, whose background work begins with Run, and the authority of its operator.
func New(o Options) (*Tracker, *Operator) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxUploadBytes == 0 {
		o.MaxUploadBytes = DefaultMaxUploadBytes
	}
	if o.EventRetention == 0 {
		o.EventRetention = DefaultEventRetention
	}
	if o.DatabaseClock == nil {
		o.DatabaseClock = o.Store.Clock
	}
	t := &Tracker{store: o.Store, cursors: cursor.New(o.Secrets), secrets: o.Secrets, sender: o.Sender, baseURL: o.BaseURL, eventRetention: o.EventRetention,
		blobs: o.Blobs, quotaBytes: o.QuotaBytes, dailySlices: o.DailySlices, disk: o.Disk, maxUpload: o.MaxUploadBytes, bodies: admission.New(), shares: newShares(),
		derived: newDerived(), log: o.Log, now: o.Now,
		removal: removal{wake: make(chan struct{}, 1)}, keyUsage: keyUsage{seen: map[string]api.Time{}},
		subscriptions: subscriptions{of: map[string]subscribed{}},
		databaseClock: o.DatabaseClock, suspensions: suspensions{}}
	return t, &Operator{t}
}

// Reserve returns a Reservation for the body of a request of the caller. interrupt makes the pending read
// of the body return.
func (t *Tracker) Reserve(c Caller, interrupt func()) *admission.Reservation {
	return t.bodies.Reserve(c.Organization.ID, c.KeyID(), interrupt)
}

// ReserveAnswer reserves memory for an answer to the caller, until the client has taken it. interrupt makes
// the pending write of the answer return.
func (t *Tracker) ReserveAnswer(c Caller, size int, interrupt func()) (*admission.Reservation, error) {
	return t.bodies.ReserveAnswer(c.Organization.ID, c.KeyID(), int64(size), interrupt)
}

func (t *Tracker) clock() api.Time { return api.At(t.now()) }

func (t *Tracker) warn(what string, err error) {
	if err != nil {
		t.log.Warn("background work failed; it is tried again", "work", what, "error", err)
	}
}

// CheckDisk refuses an operation that stores something while the disk is nearly full, so that reading,
// deleting and the revocation of keys go on. Every write of a caller asks; a front end may ask before it reads
// a body.
func (t *Tracker) CheckDisk(operation string) error {
	if !api.Lookup(operation).Stores() || !t.disk.Low() {
		return nil
	}
	return api.Refuse(api.CodeNoSpace, fmt.Sprintf(
		"Less than %d MiB of the service's disk are free, so nothing is stored. Reading and deleting go on; the operator has to make room.",
		t.disk.Floor()>>20))
}

func newShares() *fairshare.Limiter { return fairshare.New(runtime.GOMAXPROCS(0)) }
