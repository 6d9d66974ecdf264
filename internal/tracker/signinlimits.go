package tracker

import (
	"net/netip"
	"sync"
	"time"

	"bugslice/internal/store"
	"bugslice/internal/throttle"
)

// Failures to prove a password, of an address and of an account, after which attempts are slowed down.
var (
	addressLimit = throttle.Limit{Failures: 20, Window: 10 * time.Minute, Pause: 30 * time.Second}
	accountLimit = throttle.Limit{Failures: 10, Window: time.Hour, Pause: 30 * time.Second}
)

// failureInterval is the time between two events of failures of a user.
const failureInterval = time.Minute

// signInLimits slow down attempts to prove a password, and collect the failures of users until they are recorded. A failed
// attempt writes nothing itself, so that it takes the same time whether the account exists or not.
type signInLimits struct {
	addresses, accounts *throttle.Throttle
	now                 func() time.Time

	mu         sync.Mutex
	failed     map[string]failures  // by user id
	recordedAt map[string]time.Time // by user id, of the last failureInterval
}

// failures are attempts to prove the password of a user that failed.
type failures struct {
	user    store.User
	count   int
	request Request // of the last one
}

func newSignInLimits(now func() time.Time) *signInLimits {
	return &signInLimits{addresses: throttle.New(addressLimit, now), accounts: throttle.New(accountLimit, now), now: now,
		failed: map[string]failures{}, recordedAt: map[string]time.Time{}}
}

// wait returns how long an attempt from an address must wait. An empty account is not limited.
func (l *signInLimits) wait(address netip.Addr, account string) time.Duration {
	if wait := l.addresses.Attempt(network(address)); wait > 0 || account == "" {
		return wait
	}
	return l.accounts.Attempt(account)
}

// fail counts a failed attempt. The zero user is of an unknown account.
func (l *signInLimits) fail(address netip.Addr, account string, u store.User, r Request) {
	l.addresses.Fail(network(address))
	l.accounts.Fail(account)
	if u.ID == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed[u.ID] = failures{u, l.failed[u.ID].count + 1, r}
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
