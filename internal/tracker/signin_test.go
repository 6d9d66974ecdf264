package tracker_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/password"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

func (w *world) try(t *testing.T, from tracker.Client, email, text string) error {
	t.Helper()
	return second(w.SignIn(t.Context(), from, tracker.SignIn{Email: email, Password: text}))
}

// TestAccountsLookAlike: the answer is the same for an unknown account, a disabled one and a wrong password.
// TestEverySignInChecksOnePassword shows that it takes the same time.
func TestAccountsLookAlike(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		disabled := w.person(t, "disabled@test.example")
		must(t, w.Operator.DisableUser(t.Context(), disabled.UserID))
		attempts := map[string][2]string{"wrong": {"u@test.example", "wrong password"},
			"unknown":  {"nobody@test.example", "wrong password"},
			"disabled": {"disabled@test.example", secretWords}, "strange": {"a\x00\xff", ""}}
		want := w.try(t, client("203.0.113.1"), "u@test.example", "wrong password").Error()
		for what, in := range attempts {
			if err := w.try(t, client("203.0.113.2"), in[0], in[1]); code(err) != api.CodeUnauthorized ||
				err.Error() != want {
				t.Errorf("%s: %v, want %s", what, err, want)
			}
		}
	})
}

// TestAddressesAreThrottled: after 20 failures an address has one attempt in 30 seconds, for any account.
func TestAddressesAreThrottled(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		for n := range 20 { // from one /64
			if err := w.try(t, client(fmt.Sprintf("2001:db8::%x", n+1)),
				fmt.Sprint(n, "@test.example"), "x"); code(err) != api.CodeUnauthorized {
				t.Fatalf("%d: %v", n, err)
			}
		}
		from := client("2001:db8::ffff")
		err := w.try(t, from, "u@test.example", secretWords)
		var p *api.Problem
		if !errors.As(err, &p) || p.Code != api.CodeRateLimited || p.RetryAfter <= 0 || p.RetryAfter > 30*time.Second {
			t.Errorf("%v", err)
		}
		must(t, w.try(t, client("2001:db8:0:1::1"), "u@test.example", secretWords))
		w.now = w.now.Add(30 * time.Second)
		must(t, w.try(t, from, "u@test.example", secretWords))
		if err := w.try(t, from, "u@test.example", secretWords); code(err) != api.CodeRateLimited {
			t.Errorf("a second attempt: %v", err)
		}
		w.now = w.now.Add(10 * time.Minute)
		must(t, w.try(t, from, "u@test.example", secretWords))
		must(t, w.try(t, from, "u@test.example", secretWords))
	})
}

// TestAccountsAreThrottled: after 10 failures an account is slow for browsers that never signed in to it. A mark that
// was made up, altered or given to somebody else does not help, and unknown accounts are slow, too.
func TestAccountsAreThrottled(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		w.person(t, "other@test.example")
		_, opened := w.signIn(t, "u@test.example")
		_, stranger := w.signIn(t, "other@test.example")
		sealed, err := base64.RawURLEncoding.DecodeString(opened.Device)
		must(t, err)
		sealed[len(sealed)-1] ^= 1
		for _, email := range []string{"u@test.example", "nobody@test.example"} {
			for n := range 10 {
				if err := w.try(t, client(fmt.Sprintf("203.0.113.%d", n)), email,
					"wrong"); code(err) != api.CodeUnauthorized {
					t.Fatalf("%d: %v", n, err)
				}
			}
			for what, device := range map[string]string{"none": "", "forged": "u@test.example",
				"another's": stranger.Device,
				"altered":   base64.RawURLEncoding.EncodeToString(sealed)} {
				from := client("198.51.100.1")
				from.Device = device
				if err := w.try(t, from, email, secretWords); code(err) != api.CodeRateLimited {
					t.Errorf("%s, with a mark that is %s: %v", email, what, err)
				}
			}
		}
		from := client("198.51.100.1")
		from.Device = opened.Device
		must(t, w.try(t, from, "u@test.example", secretWords))
		w.now = w.now.Add(31 * time.Second)
		must(t, w.try(t, client("198.51.100.1"), "u@test.example", secretWords))
	})
}

// TestSharedBrowsers: a browser remembers several users who have signed in.
func TestSharedBrowsers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		w.person(t, "other@test.example")
		_, first := w.signIn(t, "u@test.example")
		from := client("198.51.100.1")
		from.Device = first.Device
		both, err := w.SignIn(t.Context(), from, tracker.SignIn{Email: "other@test.example", Password: secretWords})
		must(t, err)
		for n := range 10 {
			_ = w.try(t, client(fmt.Sprintf("203.0.113.%d", n)), "u@test.example", "wrong")
		}
		from.Device = both.Device
		must(t, w.try(t, from, "u@test.example", secretWords))
	})
}

// TestOutdatedHashes are replaced at the next sign-in, which ends no session.
func TestOutdatedHashes(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		u := w.person(t, "u@test.example")
		_, opened := w.signIn(t, "u@test.example")
		other, err := password.WithParams(password.Params{MemoryKiB: 128, Iterations: 1, Parallelism: 1}).
			Hash(t.Context(), secretWords)
		must(t, err)
		row, err := w.store.Read(t.Context()).User(u.UserID)
		must(t, err)
		must(t, w.store.Write(t.Context(),
			func(tx *store.Tx) error { return tx.RehashPassword(u.UserID, row.PasswordHash, other) }))
		w.signIn(t, "u@test.example")
		row, err = w.store.Read(t.Context()).User(u.UserID)
		must(t, err)
		if row.PasswordHash == other {
			t.Error("the hash is the former one")
		}
		w.signIn(t, "u@test.example")
		must(t, w.sessionOf(opened.Token))
	})
}

// TestProofsAreThrottled: a stolen session cannot guess the password, and does not slow down the sign-in of the user.
func TestProofsAreThrottled(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		s, _ := w.signIn(t, "u@test.example")
		for n := range 5 {
			if _, err := w.ProvePassword(t.Context(), client(fmt.Sprintf("203.0.113.%d", n)),
				s, "wrong"); code(err) != api.CodeUnauthorized {
				t.Fatal(err)
			}
		}
		if _, err := w.ProvePassword(t.Context(), client("203.0.113.99"), s,
			secretWords); code(err) != api.CodeRateLimited {
			t.Errorf("a sixth attempt: %v", err)
		}
		must(t, w.try(t, client("198.51.100.1"), "u@test.example", secretWords))
	})
}
