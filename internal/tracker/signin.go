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

// attempt is an attempt to prove who a user is.
type attempt struct {
	user    store.User // zero for an unknown account
	limits  []limit    // that it counts against
	request access.Request
	proof   proof
	why     SignInRefusal // of a wrong one
}

// SignIn opens a session, or returns a SecondFactorError for a user who has a second factor. It answers alike, and in
// the same time, whether the account is unknown, disabled or has another password.
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
	p, err := t.prove(ctx, attempt{user: u, limits: limits, request: from.Request, proof: passwordProof(in.Password),
		why: WrongPassword})
	if err != nil {
		return NewSession{}, err
	}
	entered, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (entry, error) {
		current, err := lockUnchanged(tx, u)
		if err != nil {
			return entry{}, err
		}
		return t.admit(tx, current, from, p)
	})
	if err == nil && p.outdated {
		t.warn("rehash a password", t.rehash(ctx, u, in.Password))
	}
	return entered.result(err)
}

// lockUnchanged locks a user who was read before. It refuses one whose sessions have ended since, or who is disabled.
func lockUnchanged(tx *access.Tx, u store.User) (store.User, error) {
	current, err := tx.LockUser(u.ID)
	if err == nil && (current.DisabledAt != nil || current.SessionEpoch != u.SessionEpoch) {
		err = errWrongSignIn
	}
	return current, err
}

// proofOf returns the proof of an input. bound is that to which the question of a passkey was bound.
func proofOf(in api.Proof, bound string) proof {
	switch {
	case in.Passkey.Answer != "":
		return passkeyProof{answer: in.Passkey, bound: bound}
	case in.Code != "":
		return codeProof(in.Code)
	}
	return passwordProof(in.Password)
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

// prove refuses an attempt with a wrong proof or after too many failures.
func (t *Tracker) prove(ctx context.Context, a attempt) (proved, error) {
	reserved, wait := reserve(a.limits)
	defer reserved.release() // unless it has failed
	if wait > 0 {
		return proved{}, t.throttled(wait)
	}
	shown, err := a.proof.verify(ctx, t, a.user, a.request)
	switch {
	case errors.Is(err, errWrongSignIn) || err == nil && a.user.DisabledAt != nil:
		reserved.fail()
		t.signInLimits.collect(a.user, a.request, a.why)
		return proved{}, errWrongSignIn
	case errors.Is(err, password.ErrBusy):
		t.signInLimits.count(Busy)
	}
	return shown, busyProblem(err)
}

// throttled refuses an attempt after too many failures.
func (t *Tracker) throttled(wait time.Duration) error {
	t.signInLimits.count(Throttled)
	p := api.NewProblem(api.CodeRateLimited, "There were too many failed attempts. Wait before the next one.")
	p.RetryAfter = wait
	return p
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

// Prove records that the user has just proved who it is, and rotates the session.
func (t *Tracker) Prove(ctx context.Context, c access.Caller, v input.Valid[api.Prove]) (NewSession, error) {
	in, err := v.Value(c.Allow(api.OpProve))
	if err != nil {
		return NewSession{}, err
	}
	u, p, err := t.proveAgain(ctx, c, in.Body)
	if err != nil {
		return NewSession{}, err
	}
	return access.Write(ctx, t.access, c, api.OpProve, func(tx *access.Tx, c access.Caller) (NewSession, error) {
		if err := p.use(tx); err != nil {
			return NewSession{}, err
		}
		rotated, err := t.rotateSession(tx, c, in.Body.Device)
		if err != nil {
			return NewSession{}, err
		}
		e := event{Type: api.EventUserPasswordProved, ID: u.ID, Subject: userSubject(u)}
		if p.by != ByPassword {
			e = event{Type: api.EventUserProved, ID: u.ID, Subject: factorSubject(u, p.by)}
		}
		return rotated, t.recordAudit(tx, c, e)
	})
}

// proveAgain is prove for a user who is signed in, whom it returns. It has a limit of its own, so it does not slow
// down those who sign in, and they do not slow it down. A code suffices for a user without a password alone: whoever
// has an unlocked phone for a moment has the session and the codes.
func (t *Tracker) proveAgain(ctx context.Context, c access.Caller, in api.Proof) (store.User, proved, error) {
	q := t.access.Read(ctx)
	u, err := q.User(c.ID)
	if err == nil {
		_, err = t.passwordUntil(q, u)
	}
	if err != nil {
		return u, proved{}, err
	}
	own, _ := c.Credential.(access.SessionCredential)
	shown := proofOf(in, own.ID)
	if _, isCode := shown.(codeProof); isCode && u.PasswordHash != "" {
		return u, proved{}, errWrongSignIn
	}
	p, err := t.prove(ctx, attempt{user: u, limits: t.signInLimits.ofSession(u.ID), request: c.Request, proof: shown,
		why: WrongPassword})
	return u, p, err
}

// AskProof returns how the user proves who it is in this session, with a question for its passkeys.
func (t *Tracker) AskProof(ctx context.Context, c access.Caller, v input.Valid[api.AskProof]) (
	choice api.ProofChoice, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpAskProof)); err != nil {
		return choice, err
	}
	q := t.access.Read(ctx)
	u, err := q.User(c.ID)
	if err == nil {
		_, err = t.passwordUntil(q, u)
	}
	if errors.Is(err, errNoPasswords) { // the provider proves it
		return choice, nil
	}
	if err != nil {
		return choice, err
	}
	own, _ := c.Credential.(access.SessionCredential)
	choice.Password, choice.Code = u.PasswordHash != "", u.PasswordHash == ""
	choice.Passkey, err = t.askPasskeys(ctx, u, own.ID)
	return choice, err
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
