package tracker

import (
	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/store/factors"
	"bugslice/internal/token"
)

// SecondFactorError says that the first factor of a sign-in was proved, and that there is a session only after the
// second one. Step is the token with which FinishSignIn goes on; it opens nothing else.
type SecondFactorError struct{ Step string }

func (*SecondFactorError) Error() string { return "the sign-in waits for the second factor" }

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
