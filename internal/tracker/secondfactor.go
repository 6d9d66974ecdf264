package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/store/factors"
	"bugslice/internal/token"
)

// ErrSignInOver refuses a sign-in that is over: it took more than 10 minutes or five attempts, was finished, or the
// password has changed.
var ErrSignInOver = api.NewProblem(api.CodeUnauthorized, "This sign-in is over. Begin it again.")

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
