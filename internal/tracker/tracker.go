package tracker

import (
	"context"
	"log/slog"
	"runtime"
	"time"

	"golang.org/x/sync/singleflight"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/blob"
	"bugslice/internal/cursor"
	"bugslice/internal/disk"
	"bugslice/internal/factor"
	"bugslice/internal/fairshare"
	"bugslice/internal/id"
	"bugslice/internal/mail"
	"bugslice/internal/openid"
	"bugslice/internal/password"
	"bugslice/internal/ratelimit"
	"bugslice/internal/safehttp"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/throttle"
)

// Tracker is the service. It is safe for concurrent use.
type Tracker struct {
	access         *access.Access
	authority      *access.Authority
	cursors        *cursor.Codec
	secrets        *secret.Ring
	sender         Sender
	mail           MailServer // nil: no mails are sent
	mailCounts     mailCounts
	mailLimits     mailLimits
	baseURL        string
	encoder        *store.SliceEncoder
	eventRetention time.Duration
	log            *slog.Logger
	now            func() time.Time
	newID          func(prefix string) string
	keyUsage       *usage[store.KeyUse]
	refusals       refusalCounter
	sessionUsage   *usage[api.Time]
	sessionLimits  access.SessionLimits
	shareOpenings  *openings
	answers        *ratelimit.Budgets // of reporters, by client address
	shareFailures  *throttle.Throttle // of links that do not work, by client address
	signInLimits   *signInLimits
	refusalLimits  refusalLimits
	passwords      *password.Hasher
	passkeys       *factor.Passkeys // nil where browsers make none
	openid         *openid.Client
	refreshes      singleflight.Group // of sessions, at their providers
	checkPassword  func(ctx context.Context, text, hash string) (equal, outdated bool, err error)
	webhookCache   webhookCache
	sourceCache    sourceCache
	auditWindow    int // events that a page of the audit log reads at most
	broadcaster    broadcaster
	live           *liveStreams

	blobs       *blob.Watch
	quotaBytes  int64
	dailySlices int64
	disk        *disk.Watch
	maxUpload   int64
	redactors   redactorCache
	memory      *admission.Limiter
	slots       *fairshare.Limiter
	derived     *derivedCache
	fence       fence
	removal     removal
	exports     exportDownloads
	erasures    chan struct{} // wakes the work on erasures

	databaseClock func(context.Context) (time.Time, bool, error)
	suspensions   suspensions
	skew          skewLog
	readOnly      bool
	jobFailures   jobFailures
}

// Options configure a Tracker.
type Options struct {
	Store           access.Store
	Secrets         *secret.Ring
	Passwords       *password.Hasher
	Sender          Sender           // of the messages of webhooks; without one no webhook can be created
	Mail            MailServer       // without one no mails are sent
	BaseURL         string           // without a trailing slash
	OpenID          *safehttp.Policy // of requests to OpenID providers; those of the public internet when nil
	EventRetention  time.Duration
	Blobs           blob.Store
	QuotaBytes      int64         // that a workspace may store; 0 for no limit
	DailySlices     int64         // slices and occurrences that a workspace may file in a day; 0 for no limit
	Disk            *disk.Watch   // refuses writes while the disk is nearly full; nil for never
	SessionIdle     time.Duration // after which an unused session ends; DefaultSessionIdle when zero
	SessionLifetime time.Duration // after which a session ends; DefaultSessionLifetime when zero
	MaxUploadBytes  int64         // of one file; DefaultMaxUploadBytes when zero
	ReadOnly        bool          // no background work that writes; the Store refuses the other writes
	Log             *slog.Logger
	Now             func() time.Time // the clock; time.Now when nil

	// NewID returns the ids of new slices, comments and attachments, which hold the time of their creation. It is
	// id.New when nil.
	NewID func(prefix string) string

	// DatabaseClock returns the time of the database, and whether it has a clock of its own. It is the store's
	// when nil.
	DatabaseClock func(context.Context) (time.Time, bool, error)
}

// Defaults of Options.
const (
	DefaultSessionIdle     = 14 * 24 * time.Hour
	DefaultSessionLifetime = 90 * 24 * time.Hour
)

// DefaultMaxUploadBytes is the default of Options.MaxUploadBytes.
const DefaultMaxUploadBytes = 100 << 20

// DefaultEventRetention is the default of Options.EventRetention: the time for which events can be read and finished
// deliveries are retained.
const DefaultEventRetention = 30 * 24 * time.Hour

// auditWindow is the number of events that a page of the audit log reads at most.
const auditWindow = 20_000

// New returns a Tracker, whose background work begins with Run, and the authority of its operator.
func New(o Options) (*Tracker, *Operator) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = id.New
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
	if o.SessionIdle == 0 {
		o.SessionIdle = DefaultSessionIdle
	}
	if o.SessionLifetime == 0 {
		o.SessionLifetime = DefaultSessionLifetime
	}
	if o.OpenID == nil {
		o.OpenID, _ = safehttp.NewPolicy(nil) // which refuses exceptions alone
	}
	limits := access.SessionLimits{Idle: o.SessionIdle, Lifetime: o.SessionLifetime}
	a, authority := access.New(access.Options{Store: o.Store, Now: o.Now, Disk: o.Disk, Sessions: limits})
	if o.DatabaseClock == nil {
		o.DatabaseClock = a.DatabaseClock
	}
	t := &Tracker{
		access: a, authority: authority, cursors: cursor.New(o.Secrets), secrets: o.Secrets, sender: o.Sender,
		mail: o.Mail, mailCounts: mailCounts{all: map[mail.Outcome]int64{}}, mailLimits: newMailLimits(o.Now),
		baseURL: o.BaseURL, encoder: newSliceEncoder(o.BaseURL),
		eventRetention: o.EventRetention, log: o.Log, now: o.Now, newID: o.NewID,
		keyUsage: newUsage[store.KeyUse](), sessionUsage: newUsage[api.Time](),
		sessionLimits: limits, signInLimits: newSignInLimits(o.Now),
		refusalLimits: newRefusalLimits(o.Now),
		shareOpenings: newOpenings(), shareFailures: throttle.New(shareLimit, o.Now), answers: ratelimit.NewBudgets(o.Now),
		openid: openid.New(o.OpenID, o.Now), passkeys: factor.NewPasskeys(o.BaseURL),
		passwords: o.Passwords, checkPassword: o.Passwords.Check,
		auditWindow: auditWindow, webhookCache: webhookCache{byWorkspace: map[string]cachedWebhooks{}},
		sourceCache: sourceCache{byKey: map[string]cachedSource{}}, live: newLiveStreams(),

		blobs: blob.NewWatch(o.Blobs), quotaBytes: o.QuotaBytes, dailySlices: o.DailySlices, disk: o.Disk,
		maxUpload: o.MaxUploadBytes,
		memory:    admission.New(), slots: fairshare.New(runtime.GOMAXPROCS(0)), derived: newDerivedCache(),
		removal: removal{wake: make(chan struct{}, 1)}, erasures: make(chan struct{}, 1),
		exports: exportDownloads{all: map[exportKey]*ExportDownload{}},

		databaseClock: o.DatabaseClock, suspensions: suspensions{since: map[string]time.Time{}}, readOnly: o.ReadOnly,
	}
	return t, &Operator{t}
}

// Reserve returns a Reservation for the body of a request of the caller. interrupt makes the pending read
// of the body return.
func (t *Tracker) Reserve(c access.Caller, interrupt func()) *admission.Reservation {
	return t.memory.Reserve(c.Organization.ID, c.Account(), interrupt)
}

// ReserveResponse reserves memory for a response to the caller until the client has received it. interrupt makes the
// pending write of the response return.
func (t *Tracker) ReserveResponse(c access.Caller, size int, interrupt func()) (*admission.Reservation, error) {
	return t.memory.ReserveResponse(c.Organization.ID, c.Account(), int64(size), interrupt)
}

func (t *Tracker) clock() api.Time { return api.At(t.now()) }

// warn logs an error of background work, which is tried again.
func (t *Tracker) warn(work string, err error) {
	if err != nil {
		t.log.Warn("background work failed and will be retried", "work", work, "error", err)
	}
}

// CheckDisk refuses an operation that stores something while the disk is nearly full. Reading, deleting and the
// revocation of keys are not refused. Every write of a caller is checked; a front end may check before it reads a body.
func (t *Tracker) CheckDisk(operation string) error {
	return t.access.CheckDisk(operation)
}

// Authenticate returns the caller of a bearer token. It refuses an unknown, expired or revoked one as unauthorized.
func (t *Tracker) Authenticate(ctx context.Context, text string) (access.Caller, error) {
	return t.access.Authenticate(ctx, text)
}

// AuthenticateRequest is Authenticate for the caller of one request, whose roles may be those with which it begins.
func (t *Tracker) AuthenticateRequest(ctx context.Context, text string) (access.Caller, error) {
	return t.access.AuthenticateRequest(ctx, text)
}

// Reauthorize returns the caller of a request in progress with its current rights, or refuses it as Authenticate and
// Allow do.
func (t *Tracker) Reauthorize(ctx context.Context, c access.Caller, operation string) (access.Caller, error) {
	return t.access.Reauthorize(ctx, c, operation)
}

// ResponseGuard returns a function that a front end calls while it writes a response. It returns an error when the
// caller has lost the right to the operation, or a role in a workspace, since the first call. It reads the rights at
// most twice a second.
func (t *Tracker) ResponseGuard(ctx context.Context, c access.Caller, operation string) func() error {
	return t.access.ResponseGuard(ctx, c, operation)
}
