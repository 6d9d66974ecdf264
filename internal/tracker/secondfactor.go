package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/store/factors"
	"bugslice/internal/token"
)

// stepLifetime is the time for which a sign-in waits for the second factor, and a question for the answer of a passkey.
const stepLifetime = 10 * time.Minute

// SecondFactorError says that the first factor of a sign-in was proved, and that there is a session only after the
// second one. Step is the token with which FinishSignIn goes on; it opens nothing else.
type SecondFactorError struct{ Step string }

func (*SecondFactorError) Error() string { return "the sign-in waits for the second factor" }

// ErrSignInOver refuses a sign-in that is over: it took more than 10 minutes or five attempts, was finished, or the
// password has changed.
var ErrSignInOver = api.NewProblem(api.CodeUnauthorized, "This sign-in is over. Begin it again.")

// entry is a session, or the token of a sign-in that waits for the second factor.
type entry struct {
	session NewSession
	step    string
}

// result returns the session, or a SecondFactorError.
func (e entry) result(err error) (NewSession, error) {
	if err == nil && e.step != "" {
		err = &SecondFactorError{e.step}
	}
	return e.session, err
}

// admit opens a session of a user who has proved the first factor, in a transaction that has locked the user. For a
// user with a second factor it stores a sign-in that waits for it, unless the proof was two factors.
func (t *Tracker) admit(tx *access.Tx, u store.User, from Client, p proved) (e entry, err error) {
	if err := p.use(tx); err != nil {
		return e, err
	}
	if p.both {
		e.session, err = t.openSession(tx, u, from, p.by)
		return e, err
	}
	has, err := tx.Factors().Counts(u.ID)
	if err != nil {
		return e, err
	}
	if !has.HasSecond() {
		e.session, err = t.openSession(tx, u, from, "")
		return e, err
	}
	e.step, err = t.addStep(tx, u, "")
	return e, err
}

// addStep stores a sign-in that waits for the second factor, and returns its token. provider is who the provider has
// confirmed, sealed; empty when the first factor was proved here.
func (t *Tracker) addStep(tx *access.Tx, u store.User, provider string) (string, error) {
	step := newSessionToken()
	return step, tx.Factors().AddPending(factors.Pending{UserID: u.ID, Epoch: u.SessionEpoch,
		ExpiresAt: api.At(t.now().Add(stepLifetime)), Provider: provider}, token.Hash(step))
}

// SignInStep returns how the second factor of the sign-in of a browser may be proved, or ErrSignInOver.
func (t *Tracker) SignInStep(ctx context.Context, from Client) (choice api.ProofChoice, _ error) {
	q := t.access.Read(ctx)
	pending, err := t.pending(q, from)
	if err != nil {
		return choice, err
	}
	u, err := q.User(pending.UserID)
	if err != nil {
		return choice, err
	}
	has, err := q.Factors().Counts(u.ID)
	if err != nil {
		return choice, err
	}
	choice.Code = has.Authenticators+has.RecoveryCodes > 0
	choice.Passkey, err = t.askPasskeys(ctx, u, from.Step)
	return choice, err
}

// pending returns the sign-in of a browser that waits for the second factor.
func (t *Tracker) pending(q access.Queries, from Client) (factors.Pending, error) {
	p, err := q.Factors().Pending(token.Hash(from.Step), t.clock())
	if errors.Is(err, store.ErrNotFound) {
		err = ErrSignInOver
	}
	return p, err
}

// FinishSignIn opens a session with the second factor of a sign-in: a code, or a passkey. The sign-in ends with it, and
// after five attempts. A wrong one and one that was used before are refused alike.
func (t *Tracker) FinishSignIn(ctx context.Context, from Client, in api.Proof) (NewSession, error) {
	q := t.access.Read(ctx)
	pending, err := t.pending(q, from)
	if err != nil {
		return NewSession{}, err
	}
	u, err := q.User(pending.UserID)
	if err != nil {
		return NewSession{}, err
	}
	shown := proofOf(in, from.Step)
	a := attempt{user: u, request: from.Request, proof: shown, why: WrongFactor}
	if _, isPasskey := shown.(passkeyProof); !isPasskey { // nobody guesses the signature of a passkey
		a.limits, a.proof = t.signInLimits.ofSecondFactor(u.ID), codeProof(in.Code)
	}
	hash := token.Hash(from.Step)
	if err := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return signInOver(tx.Factors().CountAttempt(hash, t.clock()))
	}); err != nil {
		return NewSession{}, err
	}
	p, err := t.prove(ctx, a)
	if err != nil {
		return NewSession{}, err
	}
	u.SessionEpoch = pending.Epoch
	return access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (NewSession, error) {
		current, err := lockUnchanged(tx, u)
		if errors.Is(err, errWrongSignIn) {
			err = ErrSignInOver
		}
		if err == nil {
			err = signInOver(tx.Factors().FinishPending(hash))
		}
		if err == nil {
			err = p.use(tx)
		}
		if err != nil {
			return NewSession{}, err
		}
		if pending.Provider != "" {
			return t.finishStep(tx, from, current, pending.Provider, p.by)
		}
		return t.openSession(tx, current, from, p.by)
	})
}

// signInOver turns a sign-in that is not found into ErrSignInOver.
func signInOver(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return ErrSignInOver
	}
	return err
}
