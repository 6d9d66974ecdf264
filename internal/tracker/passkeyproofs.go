package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/store"
	"bugslice/internal/store/factors"
	"bugslice/internal/token"
)

// signInPageLifetime is the time for which a page to sign in may wait for a passkey.
const signInPageLifetime = time.Hour

const questionPurpose = "questions for passkeys"

// question is what the server must know to verify the answer of a passkey. It is sealed for the browser or the session
// to which the question is bound, so that nothing is stored for questions that nobody answers.
type question struct {
	State   []byte
	Expires time.Time
}

// sealQuestion returns a question for a browser or a session (bound).
func (t *Tracker) sealQuestion(q factor.Question, bound string, lifetime time.Duration) api.PasskeyQuestion {
	text, err := json.Marshal(question{q.State, t.now().Add(lifetime)})
	if err != nil {
		panic(err) // bytes and a time
	}
	return api.PasskeyQuestion{Options: q.Options, State: t.seal(questionPurpose, bound, string(text))}
}

// openQuestion returns the question of an answer. It refuses one that is bound to another browser or session, or has
// expired, with errWrongSignIn.
func (t *Tracker) openQuestion(a api.PasskeyAnswer, bound string) (q question, err error) {
	text, err := t.unseal(questionPurpose, bound, a.State)
	if err != nil || bound == "" || json.Unmarshal([]byte(text), &q) != nil || !t.now().Before(q.Expires) {
		return q, errWrongSignIn
	}
	return q, nil
}

// answer marks a question as answered, which is done once.
func (q question) answer(tx *access.Tx) error {
	return tx.Factors().AnswerChallenge(token.Hash(string(q.State)), api.At(q.Expires))
}

// askPasskeys returns a question for the passkeys of a user; an empty one for a user without any.
func (t *Tracker) askPasskeys(ctx context.Context, u store.User, bound string) (none api.PasskeyQuestion, _ error) {
	a, _, err := t.passkeyAccount(ctx, u)
	if err != nil || len(a.Records) == 0 || t.passkeys == nil {
		return none, err
	}
	q, err := t.passkeys.Ask(&a)
	if err != nil {
		return none, err
	}
	return t.sealQuestion(q, bound, stepLifetime), nil
}

// passkeyAccount returns a user with its passkeys.
func (t *Tracker) passkeyAccount(ctx context.Context, u store.User) (factor.Account, []factors.Passkey, error) {
	all, err := t.access.Read(ctx).Factors().Passkeys(u.ID)
	a := factor.Account{ID: u.ID, Email: u.Email, Name: u.Name}
	for _, p := range all {
		a.Records = append(a.Records, p.Record)
	}
	return a, all, err
}

// passkeyProof is the answer of a passkey to a question that was bound to a browser or a session.
type passkeyProof struct {
	answer api.PasskeyAnswer
	bound  string
}

func (p passkeyProof) verify(ctx context.Context, t *Tracker, u store.User, r access.Request) (proved, error) {
	owner, shown, err := t.verifyPasskey(ctx, p, r)
	if err == nil && owner.ID != u.ID {
		err = errWrongSignIn
	}
	return shown, err
}

// verifyPasskey returns the user of a passkey, and what its answer shows. A passkey that counts less than before is
// refused like a wrong one, and the audit log says so: somebody may have copied it.
func (t *Tracker) verifyPasskey(ctx context.Context, p passkeyProof, r access.Request) (
	u store.User, _ proved, err error,
) {
	q, err := t.openQuestion(p.answer, p.bound)
	if err != nil || t.passkeys == nil {
		return u, proved{}, errWrongSignIn
	}
	var stored []factors.Passkey
	used, err := t.passkeys.Answered(q.State, p.answer.Answer, func(userID string) (a factor.Account, err error) {
		if u, err = t.access.Read(ctx).User(userID); err == nil {
			a, stored, err = t.passkeyAccount(ctx, u)
		}
		return a, err
	})
	if errors.Is(err, factor.ErrNotVerified) || errors.Is(err, store.ErrNotFound) {
		err = errWrongSignIn
	}
	if err != nil {
		return u, proved{}, err
	}
	var own factors.Passkey
	for _, s := range stored {
		if s.Credential == used.ID {
			own = s
		}
	}
	if used.Cloned {
		subject := factorSubject(u, ByPasskey)
		subject["passkey"] = own.Name
		recorded := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return t.recordAudit(tx, callerOf(u, r), event{Type: api.EventPasskeyCopied, ID: u.ID, Subject: subject})
		})
		return u, proved{}, errors.Join(errWrongSignIn, recorded)
	}
	return u, proved{by: ByPasskey, both: used.Verified, spend: func(tx *access.Tx) error {
		if err := q.answer(tx); err != nil {
			return err
		}
		return tx.Factors().UsePasskey(own, used.Record, t.clock())
	}}, nil
}
