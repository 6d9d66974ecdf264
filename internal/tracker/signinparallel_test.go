package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/operator"
	"bugslice/internal/password"
	"bugslice/internal/tracker"
)

// parallel makes attempts with a wrong password at once. It returns how many passwords were checked. No check ends
// before each attempt is checked or refused; meanwhile runs then.
func (w *world) parallel(t *testing.T, n int, attempt func(n int) error, meanwhile func()) int {
	t.Helper()
	var checked, refused atomic.Int64
	all, end := make(chan struct{}), make(chan struct{})
	begun := func(count *atomic.Int64) {
		count.Add(1)
		if checked.Load()+refused.Load() == int64(n) {
			close(all)
		}
	}
	w.CheckPasswords(func(ctx context.Context, text, hash string) (bool, bool, error) {
		if text == secretWords {
			return w.passwords.Check(ctx, text, hash)
		}
		begun(&checked)
		<-end
		return false, false, nil
	})
	defer w.CheckPasswords(w.passwords.Check)
	var work sync.WaitGroup
	for i := range n {
		work.Go(func() {
			switch err := attempt(i); code(err) {
			case api.CodeUnauthorized:
			case api.CodeRateLimited:
				begun(&refused)
			default:
				t.Error(err)
				begun(&refused)
			}
		})
	}
	<-all
	meanwhile()
	close(end)
	work.Wait()
	return int(checked.Load())
}

// TestParallelSignIns: attempts in progress count, so no more passwords are checked at once than one after another,
// and none of them stops a browser that has signed in before.
func TestParallelSignIns(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		_, opened := w.signIn(t, "u@test.example")
		known := client("203.0.113.7")
		known.Device = opened.Device
		works := func() { must(t, w.try(t, known, "u@test.example", secretWords)) }
		got := w.parallel(t, 100, func(n int) error {
			return w.try(t, client("203.0.113.7"), fmt.Sprint(n, "@test.example"), "wrong")
		}, works)
		if got != 20 {
			t.Errorf("%d passwords of one address are checked, want 20", got)
		}
		works()
		got = w.parallel(t, 100, func(n int) error {
			return w.try(t, client(fmt.Sprint("198.51.100.", n)), "u@test.example", "wrong")
		}, works)
		if got != 10 {
			t.Errorf("%d passwords of one account are checked, want 10", got)
		}
		works()
		if err := w.try(t, client("192.0.2.1"), "u@test.example", secretWords); code(err) != api.CodeRateLimited {
			t.Errorf("another browser: %v", err)
		}
		got = w.parallel(t, 100, func(int) error { return w.try(t, known, "u@test.example", "wrong") }, func() {})
		if got != 5 {
			t.Errorf("%d passwords of one marked browser are checked, want 5", got)
		}
	})
}

// TestParallelProofs: a stolen session has five attempts at the password, on the page that asks for it and on the one
// that changes it together.
func TestParallelProofs(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		s, _ := w.signIn(t, "u@test.example")
		got := w.parallel(t, 40, func(n int) error {
			from := client(fmt.Sprint("198.51.100.", n))
			if n%2 == 0 {
				return second(w.ProvePassword(t.Context(), from, s, "wrong"))
			}
			err := second(w.ChangePassword(t.Context(), from, s,
				api.PasswordChange{CurrentPassword: "wrong", NewPassword: "another password"}))
			if code(err) == api.CodeInvalidBody {
				return api.NewProblem(api.CodeUnauthorized, "")
			}
			return err
		}, func() { must(t, w.try(t, client("203.0.113.7"), "u@test.example", secretWords)) })
		if got != 5 {
			t.Errorf("%d passwords are checked, want 5", got)
		}
	})
}

// TestAddressesDoNotStopKnownBrowsers: the failures of others at an address stop no browser in which the user has
// signed in, and no session.
func TestAddressesDoNotStopKnownBrowsers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		s, opened := w.signIn(t, "u@test.example")
		from := client("203.0.113.7")
		w.parallel(t, 20, func(n int) error { return w.try(t, from, fmt.Sprint(n, "@test.example"), "wrong") },
			func() {})
		if err := w.try(t, from, "u@test.example", secretWords); code(err) != api.CodeRateLimited {
			t.Errorf("without a mark: %v", err)
		}
		proved, err := w.ProvePassword(t.Context(), from, s, secretWords)
		must(t, err)
		s, err = w.Session(t.Context(), from, proved.Token)
		must(t, err)
		from.Device = opened.Device
		must(t, w.try(t, from, "u@test.example", secretWords))
		must(t, second(w.ChangePassword(t.Context(), from, s, api.PasswordChange{CurrentPassword: secretWords,
			NewPassword: "another password"})))
	})
}

// TestStolenMarks: a copied mark of a browser has a limit of its own, which another user's sign-in does not lift, and
// ends with the password.
func TestStolenMarks(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		w.person(t, "thief@test.example")
		s, opened := w.signIn(t, "u@test.example")
		stolen := client("198.51.100.1")
		stolen.Device = opened.Device
		for range 5 {
			if err := w.try(t, stolen, "u@test.example", "wrong"); code(err) != api.CodeUnauthorized {
				t.Fatal(err)
			}
		}
		if err := w.try(t, stolen, "u@test.example", secretWords); code(err) != api.CodeRateLimited {
			t.Errorf("a sixth attempt: %v", err)
		}
		marked, err := w.SignIn(t.Context(), stolen, tracker.SignIn{Email: "thief@test.example", Password: secretWords})
		must(t, err)
		stolen.Device = marked.Device
		if err := w.try(t, stolen, "u@test.example", secretWords); code(err) != api.CodeRateLimited {
			t.Errorf("after another user signed in: %v", err)
		}
		_, other := w.signIn(t, "u@test.example")
		changed, err := w.ChangePassword(t.Context(), client("203.0.113.7"), s,
			api.PasswordChange{CurrentPassword: secretWords, NewPassword: "another password"})
		must(t, err)
		for n := range 10 {
			_ = w.try(t, client(fmt.Sprint("203.0.113.", n)), "u@test.example", "wrong")
		}
		from := client("192.0.2.1")
		from.Device = other.Device
		if err := w.try(t, from, "u@test.example", "another password"); code(err) != api.CodeRateLimited {
			t.Errorf("a mark of before the change of the password: %v", err)
		}
		from.Device = changed.Device
		must(t, w.try(t, from, "u@test.example", "another password"))
	})
}

// TestBusyIsNoFailure: an attempt whose password was not checked does not count.
func TestBusyIsNoFailure(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		w.CheckPasswords(func(context.Context, string, string) (bool, bool, error) {
			return false, false,
				password.ErrBusy
		})
		for range 30 {
			err := w.try(t, client("203.0.113.7"), "u@test.example", secretWords)
			var p *api.Problem
			if !errors.As(err, &p) || p.Code != api.CodeUnavailable || p.RetryAfter != 2*time.Second {
				t.Fatal(err)
			}
		}
		w.CheckPasswords(w.passwords.Check)
		for range 25 {
			must(t, w.try(t, client("203.0.113.7"), "u@test.example", secretWords))
		}
	})
}

// TestEverySignInChecksOnePassword: the work is the same for an unknown account, a disabled one, one without a
// password and a wrong password: one hash.
func TestEverySignInChecksOnePassword(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		disabled := w.person(t, "disabled@test.example")
		must(t, w.Operator.DisableUser(t.Context(), disabled.UserID))
		must(t, second(w.In(w.owner.Organization).AddUser(t.Context(), operator.NewUser{Email: "none@test.example"})))
		checked := 0
		w.CheckPasswords(func(ctx context.Context, text, hash string) (bool, bool, error) {
			checked++
			return w.passwords.Check(ctx, text, hash)
		})
		for _, email := range []string{"u@test.example", "nobody@test.example",
			"disabled@test.example", "none@test.example", "a\x00\xff", ""} {
			for _, text := range []string{"wrong password", "", secretWords} {
				if email == "u@test.example" && text == secretWords {
					continue
				}
				checked = 0
				if err := w.try(t, client("203.0.113.7"), email, text); code(err) != api.CodeUnauthorized {
					t.Errorf("%q: %v", email, err)
				}
				if checked != 1 {
					t.Errorf("%q: %d hashes are computed, want 1", email, checked)
				}
			}
		}
	})
}
