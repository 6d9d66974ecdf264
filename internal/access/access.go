package access

import (
	"context"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/disk"
	"bugslice/internal/policy"
	"bugslice/internal/store"
)

// Store is an open store in the hands of a service, which can only give it to New.
type Store struct{ store *store.Store }

// Seal returns an open store for a service.
func Seal(s *store.Store) Store { return Store{s} }

// Options configure an Access.
type Options struct {
	Store    Store
	Now      func() time.Time
	Disk     *disk.Watch // refuses writes while the disk is nearly full; nil for never
	Sessions SessionLimits
}

// SessionLimits are the times after which sessions end, unless the policy of an organisation ends them earlier.
type SessionLimits struct {
	Idle     time.Duration // since the last use
	Lifetime time.Duration // since the user signed in
}

// Within returns the shorter ones of the limits and those of a policy.
func (l SessionLimits) Within(p *policy.Policy) SessionLimits {
	l.Idle, l.Lifetime = p.Sessions(l.Idle, l.Lifetime)
	return l
}

// End returns when a session ends unless it is used.
func (l SessionLimits) End(s store.Session) time.Time {
	idle, absolute := s.LastUsedAt.Add(l.Idle), s.CreatedAt.Add(l.Lifetime)
	if s.EndsAt != nil && s.EndsAt.Before(absolute) {
		absolute = s.EndsAt.Time
	}
	if idle.Before(absolute) {
		return idle
	}
	return absolute
}

// Access reads the records of a store for a service, authenticates callers, and opens their transactions. It is safe
// for concurrent use.
type Access struct {
	store    *store.Store
	now      func() time.Time
	disk     *disk.Watch
	sessions SessionLimits
	kept     *keptRights
}

// Authority is that of the program itself: to write without a caller, and to act as the operator. It cannot be
// obtained from an Access, and its zero value has none.
type Authority struct{ store *store.Store }

// New returns the Access to a store, and the authority over it.
func New(o Options) (*Access, *Authority) {
	s := o.Store.store
	return &Access{store: s, now: o.Now, disk: o.Disk, sessions: o.Sessions, kept: &keptRights{}}, &Authority{s}
}

// Compact gives the space of deleted records back.
func (a *Authority) Compact(ctx context.Context) error { return a.store.Compact(ctx) }

// Read returns the queries outside of a transaction.
func (a *Access) Read(ctx context.Context) Queries { return Queries{Queries: a.store.Read(ctx)} }

// Commits is that of the store.
func (a *Access) Commits() <-chan struct{} { return a.store.Commits() }

// Stats is that of the store.
func (a *Access) Stats() store.Stats { return a.store.Stats() }

// Origin is that of the store.
func (a *Access) Origin(ctx context.Context) (string, error) { return a.store.Origin(ctx) }

// DatabaseClock is Clock of the store.
func (a *Access) DatabaseClock(ctx context.Context) (at time.Time, external bool, err error) {
	return a.store.Clock(ctx)
}

// Ready returns an error unless the database answers, with the schema of this program.
func (a *Access) Ready(ctx context.Context) error {
	if err := a.store.Ping(ctx); err != nil {
		return err
	}
	return a.store.Migrated(ctx)
}

// CheckDisk refuses an operation that stores something while the disk is nearly full. Reading, deleting and the
// revocation of keys are not refused.
func (a *Access) CheckDisk(operation string) error {
	if !api.Lookup(operation).Stores() || !a.disk.Low() {
		return nil
	}
	return api.NewProblem(api.CodeNoSpace, fmt.Sprintf(
		"Less than %d MiB of the server's disk is free, so nothing can be stored. Reading and deleting still work. "+
			"The operator must free space.", a.disk.Floor()>>20))
}

func (a *Access) clock() api.Time { return api.At(a.now()) }
