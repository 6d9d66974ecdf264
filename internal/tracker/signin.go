package tracker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/password"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// SignIn is the input of Tracker.SignIn.
type SignIn struct{ Email, Password string }

// busyPause is when an attempt may be repeated that found too many passwords being checked.
const busyPause = 2 * time.Second

var errWrongSignIn = api.NewProblem(api.CodeUnauthorized, "The e-mail address or the password is wrong.")

// attempt is an attempt to prove the password of a user.
type attempt struct {
	user     store.User // zero for an unknown account
	limits   []limit    // that it counts against
	request  access.Request
	password string
}

// SignIn opens a session. It answers alike, and in the same time, whether the account is unknown, disabled or has
// another password.
func (t *Tracker) SignIn(ctx context.Context, from Client, in SignIn) (NewSession, error) {
	email := strings.ToLower(strings.TrimSpace(in.Email))
	u, err := t.userByEmail(ctx, email)
	if err != nil {
		return NewSession{}, err
	}
	limits := t.signInLimits.ofStranger(from.Address, token.Hash(email))
	if mark, ok := t.deviceMark(from.Device, u); ok {
		limits = t.signInLimits.ofBrowser(mark.id)
	}
	outdated, err := t.prove(ctx, attempt{user: u, limits: limits, request: from.Request, password: in.Password})
	if err != nil {
		return NewSession{}, err
	}
	opened, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (NewSession, error) {
		current, err := tx.LockUser(u.ID)
		switch {
		case err != nil:
			return NewSession{}, err
		case current.DisabledAt != nil || current.SessionEpoch != u.SessionEpoch: // since the password was checked
			return NewSession{}, errWrongSignIn
		}
		return t.openSession(tx, current, from)
	})
	if err == nil && outdated {
		t.warn("rehash a password", t.rehash(ctx, u, in.Password))
	}
	return opened, err
}

// userByEmail returns the user with an e-mail address in lower case, or the zero user if no user has the address.
func (t *Tracker) userByEmail(ctx context.Context, email string) (store.User, error) {
	if len(email) > 254 || !utf8.ValidString(email) || strings.ContainsRune(email, 0) {
		return store.User{}, nil
	}
	u, err := t.access.Read(ctx).UserByEmail(email)
	if errors.Is(err, store.ErrNotFound) {
		return store.User{}, nil
	}
	return u, err
}

// prove refuses an attempt with a wrong password or after too many failures. outdated says that the hash is to be
// replaced.
func (t *Tracker) prove(ctx context.Context, a attempt) (outdated bool, err error) {
	reserved, wait := reserve(a.limits)
	defer reserved.release() // unless it has failed
	if wait > 0 {
		t.signInLimits.count(Throttled)
		p := api.NewProblem(api.CodeRateLimited, "There were too many failed attempts. Wait before the next one.")
		p.RetryAfter = wait
		return false, p
	}
	equal, outdated, err := t.checkPassword(ctx, a.password, a.user.PasswordHash)
	if err != nil {
		if errors.Is(err, password.ErrBusy) {
			t.signInLimits.count(Busy)
		}
		return false, busyProblem(err)
	}
	if !equal || a.user.DisabledAt != nil {
		reserved.fail()
		t.signInLimits.collect(a.user, a.request)
		return false, errWrongSignIn
	}
	return outdated, nil
}

// busyProblem turns password.ErrBusy into a problem.
func busyProblem(err error) error {
	if !errors.Is(err, password.ErrBusy) {
		return err
	}
	p := api.NewProblem(api.CodeUnavailable, "Too many people are signing in at once. Try again in a moment.")
	p.RetryAfter = busyPause
	return p
}

// rehash replaces a hash that was made with former parameters, or of another form of the password. A password that is
// too short in its present form keeps its hash.
func (t *Tracker) rehash(ctx context.Context, u store.User, text string) error {
	hash, err := t.passwords.Hash(ctx, text)
	if errors.Is(err, password.ErrShort) {
		return nil
	}
	if err != nil {
		return err
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return tx.RehashPassword(u.ID, u.PasswordHash, hash)
	})
}

// ProvePassword records that the user has just proved the password, and rotates the session.
func (t *Tracker) ProvePassword(ctx context.Context, c access.Caller, v input.Valid[api.ProvePassword]) (
	NewSession, error,
) {
	in, err := v.Value(c.Allow(api.OpProvePassword))
	if err != nil {
		return NewSession{}, err
	}
	u, err := t.proveAgain(ctx, c, in.Body.Password)
	if err != nil {
		return NewSession{}, err
	}
	return access.Write(ctx, t.access, c, api.OpProvePassword,
		func(tx *access.Tx, c access.Caller) (NewSession, error) {
			rotated, err := t.rotateSession(tx, c, in.Body.Device)
			if err != nil {
				return NewSession{}, err
			}
			return rotated, t.recordAudit(tx, c, event{Type: api.EventUserPasswordProved, ID: u.ID,
				Subject: userSubject(u)})
		})
}

// proveAgain is prove for a user who is signed in, whom it returns. It has a limit of its own, so it does not slow
// down those who sign in, and they do not slow it down.
func (t *Tracker) proveAgain(ctx context.Context, c access.Caller, text string) (store.User, error) {
	q := t.access.Read(ctx)
	u, err := q.User(c.ID)
	if err == nil {
		_, err = t.passwordUntil(q, u)
	}
	if err != nil {
		return store.User{}, err
	}
	return u, errorOf(t.prove(ctx, attempt{user: u, limits: t.signInLimits.ofSession(u.ID), request: c.Request,
		password: text}))
}

// SignInsRefused returns how many attempts to prove a password this process has refused for a reason.
func (t *Tracker) SignInsRefused(why SignInRefusal) int64 {
	t.signInLimits.mu.Lock()
	defer t.signInLimits.mu.Unlock()
	return t.signInLimits.refused[why]
}

// recordFailures records the failed attempts that were collected. Those of unknown accounts have no organisation and no
// event: the log has their number, without the addresses that were typed.
func (t *Tracker) recordFailures(ctx context.Context) error {
	due := slices.DeleteFunc(t.signInLimits.drain(), func(f failures) bool {
		if f.user.ID == "" {
			t.log.Warn("sign-ins with unknown e-mail addresses failed", "attempts", f.count,
				"lastRequest", f.request.ID, "lastClient", f.request.ClientAddress)
		}
		return f.user.ID == ""
	})
	if len(due) == 0 {
		return nil
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		for _, f := range due {
			c, subject := access.System(f.user.OrgID), userSubject(f.user)
			c.Request, subject["failures"] = f.request, f.count
			if err := t.recordAudit(tx, c, event{Type: api.EventUserSignInFailed, ID: f.user.ID,
				Subject: subject}); err != nil {
				return err
			}
		}
		return nil
	})
}
