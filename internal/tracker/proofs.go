package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/store"
)

// The factors by which users prove who they are, as events and sessions name them.
const (
	ByPassword      = "password"
	ByAuthenticator = "authenticator"
	ByRecoveryCode  = "recovery_code"
	ByPasskey       = "passkey"
	ByProvider      = "provider"
)

var errWrongSignIn = api.NewProblem(api.CodeUnauthorized, "The e-mail address or the password is wrong.")

// stepLifetime is the time for which a sign-in waits for the second factor, and a question for the answer of a passkey.
const stepLifetime = 10 * time.Minute

// proof is what somebody shows to be taken for a user: a password, a code, the answer of a passkey, or the word of a
// provider. Signing in and the confirmation of sensitive changes take each of them.
type proof interface {
	// verify returns what the proof shows of a user, which may be the zero user. It refuses a wrong one with
	// errWrongSignIn. The audit log names the request where the proof leaves something to record.
	verify(ctx context.Context, t *Tracker, u store.User, r access.Request) (proved, error)
}

// proved is what a proof shows.
type proved struct {
	by       string
	both     bool                   // it is two factors, so that no second one is asked for
	outdated bool                   // the hash of the password is to be replaced
	spend    func(*access.Tx) error // marks as used what works once; nil when nothing does
}

// use marks as used what works once. It refuses what somebody else has used meanwhile, like a wrong proof.
func (p proved) use(tx *access.Tx) error {
	if p.spend == nil {
		return nil
	}
	err := p.spend(tx)
	if errors.Is(err, store.ErrNotFound) {
		err = errWrongSignIn
	}
	return err
}

// passwordProof is a password.
type passwordProof string

func (p passwordProof) verify(ctx context.Context, t *Tracker, u store.User, _ access.Request) (proved, error) {
	equal, outdated, err := t.checkPassword(ctx, string(p), u.PasswordHash)
	if err == nil && !equal {
		err = errWrongSignIn
	}
	return proved{by: ByPassword, outdated: outdated}, err
}

// maxWrongCodes is the number of wrong codes in succession after which an authenticator app is refused.
const maxWrongCodes = 100

var errCodesRefused = api.NewProblem(api.CodeRateLimited, "There were 100 wrong codes. "+
	"Use a passkey or a recovery code, or ask an admin of your organisation to remove your second factor.")

// codeProof is a code of an authenticator app, or a recovery code.
type codeProof string

func (p codeProof) verify(ctx context.Context, t *Tracker, u store.User, r access.Request) (proved, error) {
	if !factor.IsCode(string(p)) {
		return p.verifyRecovery(ctx, t, u, r)
	}
	a, err := t.access.Read(ctx).Factors().Authenticator(u.ID)
	if errors.Is(err, store.ErrNotFound) {
		err = errWrongSignIn
	}
	if err == nil && a.Failed >= maxWrongCodes {
		err = errCodesRefused
	}
	if err != nil {
		return proved{}, err
	}
	key, err := t.unseal(authenticatorPurpose, u.ID, a.Sealed)
	if err != nil {
		return proved{}, err
	}
	step, ok := factor.Match(key, string(p), t.now(), a.UsedStep)
	if !ok {
		failed := access.SystemChange(ctx, t.authority,
			func(tx *access.Tx) error { return tx.Factors().CountFailure(u.ID) })
		return proved{}, errors.Join(errWrongSignIn, failed)
	}
	return proved{by: ByAuthenticator, spend: func(tx *access.Tx) error { return tx.Factors().UseStep(u.ID, step) }},
		nil
}

func (p codeProof) verifyRecovery(ctx context.Context, t *Tracker, u store.User, r access.Request) (proved, error) {
	hash := factor.RecoveryHash(u.ID, string(p))
	has, err := t.access.Read(ctx).Factors().HasRecoveryCode(u.ID, hash)
	if err == nil && !has {
		err = errWrongSignIn
	}
	return proved{by: ByRecoveryCode, spend: func(tx *access.Tx) error {
		if err := tx.Factors().UseRecoveryCode(u.ID, hash, t.clock()); err != nil {
			return err
		}
		left, err := tx.Factors().Counts(u.ID)
		if err != nil {
			return err
		}
		subject := userSubject(u)
		subject["recoveryCodes"] = left.RecoveryCodes
		return t.recordAudit(tx, callerOf(u, r), event{Type: api.EventRecoveryCodeUsed, ID: u.ID, Subject: subject})
	}}, err
}
