package tracker

import (
	"net/netip"
	"sync"
	"time"

	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/throttle"
)

// Failures to prove a password after which attempts are slowed down.
var (
	addressLimit = throttle.Limit{Failures: 20, Window: 10 * time.Minute, Pause: 30 * time.Second}
	accountLimit = throttle.Limit{Failures: 10, Window: time.Hour, Pause: 30 * time.Second}
	knownLimit   = throttle.Limit{Failures: 5, Window: time.Hour,
		Pause: 30 * time.Second} // of a marked browser, or of sessions
)

// failureInterval is the time between two events of failures of a user.
const failureInterval = time.Minute

// signInLimits slow down attempts to prove a password, and collect the failures of users until they are recorded. A
// failed attempt writes nothing itself, so that it takes the same time whether the account exists or not.
type signInLimits struct {
	addresses, accounts, known *throttle.Throttle
	now                        func() time.Time

	mu         sync.Mutex
	refused    map[SignInRefusal]int64
	failed     map[string]failures  // by user id; of unknown accounts under the empty one
	recordedAt map[string]time.Time // by user id, of the last failureInterval
}

// SignInRefusal is a reason for which an attempt to prove a password was refused.
type SignInRefusal string

// The reasons.
const (
	WrongPassword  SignInRefusal = "wrong_password" // also of a disabled user
	UnknownAccount SignInRefusal = "unknown_account"
	WrongFactor    SignInRefusal = "wrong_second_factor"
	Throttled      SignInRefusal = "throttled"
	Busy           SignInRefusal = "busy" // too many passwords were being checked
)

// SignInRefusals are all reasons.
var SignInRefusals = []SignInRefusal{WrongPassword, UnknownAccount, WrongFactor, Throttled, Busy}

// failures are attempts to prove the password of a user that failed.
type failures struct {
	user    store.User
	count   int
	request access.Request // of the last one
}

func newSignInLimits(now func() time.Time) *signInLimits {
	return &signInLimits{addresses: throttle.New(addressLimit, now), accounts: throttle.New(accountLimit, now),
		known: throttle.New(knownLimit, now), now: now, refused: map[SignInRefusal]int64{},
		failed: map[string]failures{}, recordedAt: map[string]time.Time{}}
}

// limit is a throttle with the key under which it counts an attempt.
type limit struct {
	throttle *throttle.Throttle
	key      string
}

// ofStranger returns the limits of a browser without a mark: those of its address and of the account.
func (l *signInLimits) ofStranger(address netip.Addr, account string) []limit {
	return []limit{{l.addresses, network(address)}, {l.accounts, account}}
}

// ofBrowser returns the limit of a browser in which the user has signed in, by the id of its mark. A copied mark
// shares the limit.
func (l *signInLimits) ofBrowser(markID string) []limit {
	return []limit{{l.known, "browser " + markID}}
}

// ofSession returns the limit of a user who is signed in, in all sessions.
func (l *signInLimits) ofSession(userID string) []limit {
	return []limit{{l.known, "sessions " + userID}}
}

// ofSecondFactor returns the limit of codes of a user whose first factor was proved, in all sign-ins.
func (l *signInLimits) ofSecondFactor(userID string) []limit {
	return []limit{{l.known, "second " + userID}}
}

// reservation is an attempt as it is reserved under each of its limits.
type reservation []*throttle.Attempt

// reserve reserves an attempt under each limit, or under none and returns the time to wait.
func reserve(limits []limit) (reserved reservation, wait time.Duration) {
	for _, at := range limits {
		a, wait := at.throttle.Reserve(at.key)
		if wait > 0 {
			reserved.release()
			return nil, wait
		}
		reserved = append(reserved, a)
	}
	return reserved, 0
}

func (r reservation) fail() {
	for _, a := range r {
		a.Fail()
	}
}

func (r reservation) release() {
	for _, a := range r {
		a.Release()
	}
}

// count counts an attempt that was refused.
func (l *signInLimits) count(why SignInRefusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[why]++
}

// collect collects a failed attempt until it is recorded. The zero user is of an unknown account.
func (l *signInLimits) collect(u store.User, r access.Request, why SignInRefusal) {
	if u.ID == "" {
		why = UnknownAccount
	}
	l.count(why)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed[u.ID] = failures{user: u, count: l.failed[u.ID].count + 1, request: r}
}

// drain removes and returns the failures of users of whom none was recorded in the last failureInterval.
func (l *signInLimits) drain() (due []failures) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for userID, at := range l.recordedAt {
		if now.Sub(at) >= failureInterval {
			delete(l.recordedAt, userID)
		}
	}
	for userID, f := range l.failed {
		if _, recent := l.recordedAt[userID]; !recent {
			due = append(due, f)
			l.recordedAt[userID] = now
			delete(l.failed, userID)
		}
	}
	return due
}

// network returns what an attacker has one of: an IPv4 address, or a /64 of IPv6 addresses.
func network(address netip.Addr) string {
	address = address.Unmap().WithZone("")
	if address.Is6() {
		return netip.PrefixFrom(address, 64).Masked().String()
	}
	return address.String()
}
