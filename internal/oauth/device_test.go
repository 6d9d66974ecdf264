package oauth_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/oauth"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// TestDeviceFlow: a command line gets one key of the user who allows it, which no other user sees, with the scopes
// and the expiry of that user. Its code works once: a second use ends the key.
func TestDeviceFlow(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		codes := w.start(t, "slices:read slices:write keys:manage offline_access")
		if !regexp.MustCompile(`^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$`).MatchString(codes.User) ||
			len(codes.Device) < 26 {
			t.Errorf("%+v", codes)
		}
		_, err := w.poll(t, codes.Device)
		refused(t, "before the user has decided", err, "authorization_pending")
		typed := " " + strings.ToLower(strings.ReplaceAll(codes.User, "-", " "))
		d, err := w.Device(t.Context(), w.session(t, member), from("192.0.2.1"), typed)
		if err != nil || d.Host != "laptop" || d.Address != "198.51.100.7" || len(d.Scopes) != 3 {
			t.Errorf("%+v (%v)", d, err)
		}
		k, err := w.ApproveDevice(t.Context(), w.session(t, member), from("192.0.2.1"), typed,
			w.choice("slices:read", "workspaces:write"))
		must(t, err)
		if k.Name != "Command line on laptop" || len(k.Scopes) != 1 || k.UserID == nil || *k.UserID != w.users[member] {
			t.Errorf("%+v", k)
		}
		tokens, err := w.poll(t, codes.Device)
		must(t, err)
		c, err := w.tracker.Authenticate(t.Context(), tokens.Access)
		if err != nil || c.ID != w.users[member] || tokens.Refresh != "" || tokens.ExpiresIn < 89*24*3600 {
			t.Errorf("%+v, %+v (%v)", tokens, c, err)
		}
		if len(w.keys(t, member)) != 1 || len(w.keys(t, owner)) != 0 {
			t.Errorf("%d keys of the member, %d of the owner", len(w.keys(t, member)), len(w.keys(t, owner)))
		}
		_, err = w.ApproveDevice(t.Context(), w.session(t, owner), from("192.0.2.1"), codes.User,
			w.choice("slices:read"))
		refused(t, "another user with the same code", err, "/user_code unknown")
		_, err = w.poll(t, codes.Device)
		refused(t, "the same device code again", err, "invalid_grant")
		if w.works(t, tokens.Access) {
			t.Error("the key of a device code that was used twice works")
		}
	})
}

// TestDeviceIsRefused: a command line that was denied, whose code has expired, that asks too often, or whose key was
// revoked meanwhile is told so, and gets no key.
func TestDeviceIsRefused(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		denied, slow, revoked := w.start(t, "slices:read"), w.start(t, "slices:read"), w.start(t, "slices:read")
		must(t, w.DenyDevice(t.Context(), w.session(t, owner), from("192.0.2.1"), denied.User))
		_, err := w.poll(t, denied.Device)
		refused(t, "denied", err, "access_denied")
		_, err = w.ApproveDevice(t.Context(), w.session(t, owner), from("192.0.2.1"), denied.User,
			w.choice("slices:read"))
		refused(t, "allowed after it was denied", err, "/user_code unknown")
		for i, want := range []string{"authorization_pending", "slow_down", "slow_down", "authorization_pending"} {
			if i == 3 {
				w.now = w.now.Add(15 * time.Second) // each slow_down adds 5 seconds
			}
			_, err := w.poll(t, slow.Device)
			refused(t, "poll", err, want)
		}
		k, err := w.ApproveDevice(t.Context(), w.session(t, owner), from("192.0.2.1"), revoked.User,
			w.choice("slices:read"))
		must(t, err)
		w.revoke(t, k.ID)
		_, err = w.poll(t, revoked.Device)
		refused(t, "revoked before its token was fetched", err, "access_denied")
		w.now = w.now.Add(oauth.DeviceLifetime)
		_, err = w.poll(t, slow.Device)
		refused(t, "after 10 minutes", err, "expired_token")
		_, err = w.ApproveDevice(t.Context(), w.session(t, owner), from("192.0.2.1"), slow.User,
			w.choice("slices:read"))
		refused(t, "allowed after 10 minutes", err, "/user_code unknown")
		_, err = w.poll(t, "guessed")
		refused(t, "an unknown code", err, "invalid_grant")
		_, err = w.StartDevice(t.Context(), access.Request{}, "laptop", "everything")
		refused(t, "unknown scopes", err, "invalid_scope")
		w.pass(t, time.Hour+time.Second)
		_, err = w.poll(t, slow.Device)
		if refused(t, "after it was deleted", err, "invalid_grant"); len(w.keys(t, owner)) != 0 {
			t.Errorf("keys: %+v", w.keys(t, owner))
		}
	})
}

// TestWaitingDevicesAreBounded: of an IPv4 address, or an IPv6 network of 64 bits, 20 command lines may wait at once.
// The next is told when the first of them has expired; other networks are served meanwhile.
func TestWaitingDevicesAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		start := func(address string) error {
			_, err := w.StartDevice(t.Context(), access.Request{ClientAddress: address}, "laptop", "slices:read")
			return err
		}
		for i := range 20 {
			must(t, start("198.51.100.7"))
			must(t, start(fmt.Sprintf("2001:db8::%x", i+1)))
		}
		w.now = w.now.Add(4 * time.Minute)
		for _, address := range []string{"198.51.100.7", "2001:db8::ffff:1"} {
			err := start(address)
			refused(t, "the 21st of "+address, err, "temporarily_unavailable")
			e, ok := errors.AsType[*oauth.Error](err)
			if !ok || e.RetryAfter <= 5*time.Minute || e.RetryAfter > 6*time.Minute {
				t.Errorf("try again: %+v", e)
			}
		}
		must(t, start("198.51.100.8"))
		must(t, start("2001:db8:0:1::1"))
		w.now = w.now.Add(6 * time.Minute)
		must(t, start("198.51.100.7"))
	})
}

// TestGuessedCodesAreLimited: after five wrong codes of a user, or of an address, no code is looked up, also not the
// right one.
func TestGuessedCodesAreLimited(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		codes := w.start(t, "slices:read")
		guess := func(who, address, code string) error {
			_, err := w.Device(t.Context(), w.session(t, who), from(address), code)
			return err
		}
		for range 5 {
			must(t, guess(owner, "192.0.2.1", codes.User)) // counts nothing
			refused(t, "a guess", guess(owner, "192.0.2.1", "BCDF-GHJK"), "/user_code unknown")
		}
		refused(t, "the user", guess(owner, "192.0.2.2", codes.User), api.CodeRateLimited)
		refused(t, "the address", guess(member, "192.0.2.1", codes.User), api.CodeRateLimited)
		_, err := w.ApproveDevice(t.Context(), w.session(t, owner), from("192.0.2.2"), codes.User,
			w.choice("slices:read"))
		refused(t, "to allow", err, api.CodeRateLimited)
		refused(t, "to deny", w.DenyDevice(t.Context(), w.session(t, owner), from("192.0.2.2"), codes.User),
			api.CodeRateLimited)
		must(t, guess(member, "192.0.2.3", codes.User))
		w.now = w.now.Add(oauth.DeviceLifetime)
		refused(t, "the user later", guess(owner, "192.0.2.2", codes.User), "/user_code unknown")
	})
}

// TestDeviceIsAllowedOnce: of users who allow a command line at once, one makes a key; and of its polls at once, at
// most one gets a token.
func TestDeviceIsAllowedOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		codes := w.start(t, "slices:read")
		allowed := atOnce(4, func() bool {
			s := w.session(t, owner)
			_, err := w.ApproveDevice(t.Context(), s, from("192.0.2.1"), codes.User, w.choice("slices:read"))
			return err == nil
		})
		if keys := w.keys(t, owner); allowed != 1 || len(keys) != 1 {
			t.Fatalf("%d succeed, %d keys", allowed, len(keys))
		}
		fetched := atOnce(4, func() bool {
			_, err := w.poll(t, codes.Device)
			return err == nil
		})
		if keys := w.keys(t, owner); fetched != 1 || len(keys) != 0 { // a second use ends the key
			t.Errorf("%d fetch the token, %d keys", fetched, len(keys))
		}
	})
}

// atOnce runs fn several times at once, and returns how often it succeeds.
func atOnce(n int, fn func() bool) (succeeded int) {
	var work sync.WaitGroup
	results := make(chan bool, n)
	for range n {
		work.Go(func() { results <- fn() })
	}
	work.Wait()
	close(results)
	for ok := range results {
		if ok {
			succeeded++
		}
	}
	return succeeded
}

// TestRestartBetweenCodeAndToken: a server that ends after a user has allowed a program has made one key, whose token
// the program fetches from the next server.
func TestRestartBetweenCodeAndToken(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, err := storetest.Reused(t, engine)
			must(t, err)
			w := newWorld(t, o)
			p, codes := w.register(t, "Assistant", loopback), w.start(t, "slices:read")
			code := w.approve(t, p, owner, w.choice("slices:read"))
			_, err = w.ApproveDevice(t.Context(), w.session(t, owner), from("192.0.2.1"), codes.User,
				w.choice("slices:read"))
			must(t, err)
			w.restart(t, o)
			byCode, err := w.exchange(t, p, code)
			must(t, err)
			byDevice, err := w.poll(t, codes.Device)
			must(t, err)
			w.restart(t, o)
			if !w.works(t, byCode.Access) || !w.works(t, byDevice.Access) || len(w.keys(t, owner)) != 2 {
				t.Errorf("keys: %+v", w.keys(t, owner))
			}
		})
	}
}

func (w *world) restart(t *testing.T, o store.Options) {
	t.Helper()
	must(t, w.store.Close())
	w.open(t, o)
}
