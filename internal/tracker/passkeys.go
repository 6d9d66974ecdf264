package tracker

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/store/factors"
	"bugslice/internal/token"
)

const questionPurpose = "questions for passkeys"

// question is what the server must know to verify the answer of a passkey. It is sealed for the browser or the session
// to which the question is bound, so that nothing is stored for questions that nobody answers.
type question struct {
	State   []byte
	Expires time.Time
}

// sealQuestion returns a question for a browser or a session (bound).
func (t *Tracker) sealQuestion(q factor.Question, bound string) api.PasskeyQuestion {
	text, err := json.Marshal(question{q.State, t.now().Add(stepLifetime)})
	if err != nil {
		panic(err) // bytes and a time
	}
	sealed := t.secrets.Seal(questionPurpose, text, []byte(bound))
	return api.PasskeyQuestion{Options: q.Options, State: base64.RawURLEncoding.EncodeToString(sealed)}
}

// openQuestion returns the question of an answer. It refuses one that is bound to another browser or session, or has
// expired, with errWrongSignIn.
func (t *Tracker) openQuestion(a api.PasskeyAnswer, bound string) (q question, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(a.State)
	if err != nil || bound == "" {
		return q, errWrongSignIn
	}
	text, err := t.secrets.Open(questionPurpose, sealed, []byte(bound))
	if err != nil || json.Unmarshal(text, &q) != nil || !t.now().Before(q.Expires) {
		return q, errWrongSignIn
	}
	return q, nil
}

// answer marks a question as answered, which is done once.
func (q question) answer(tx *access.Tx) error {
	return tx.Factors().AnswerChallenge(token.Hash(string(q.State)), api.At(q.Expires))
}

// AskSignIn returns the question with which the page to sign in asks for a passkey of any user. It is empty where
// browsers make no passkeys.
func (t *Tracker) AskSignIn(from Client) (api.PasskeyQuestion, error) {
	if t.passkeys == nil {
		return api.PasskeyQuestion{}, nil
	}
	q, err := t.passkeys.Ask(nil)
	if err != nil {
		return api.PasskeyQuestion{}, err
	}
	return t.sealQuestion(q, from.Step), nil
}

// NewStep returns a token for Client.Step of a browser that has none, to which the questions of the page to sign in are
// bound.
func (t *Tracker) NewStep() string { return newSessionToken() }

// SignInWithPasskey opens a session of the user of a passkey, which the user must have unlocked: that is two factors.
func (t *Tracker) SignInWithPasskey(ctx context.Context, from Client, in api.PasskeyAnswer) (NewSession, error) {
	reserved, wait := reserve([]limit{{t.signInLimits.addresses, network(from.Address)}})
	defer reserved.release() // unless it has failed
	if wait > 0 {
		t.signInLimits.count(Throttled)
		p := api.NewProblem(api.CodeRateLimited, "There were too many failed attempts. Wait before the next one.")
		p.RetryAfter = wait
		return NewSession{}, p
	}
	u, p, err := t.verifyPasskey(ctx, passkeyProof{answer: in, bound: from.Step}, from.Request)
	if err == nil && (u.DisabledAt != nil || !p.both) {
		err = errWrongSignIn
	}
	if errors.Is(err, errWrongSignIn) {
		reserved.fail()
		t.signInLimits.collect(u, from.Request, WrongFactor)
	}
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
	return entered.result(err)
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
	return t.sealQuestion(q, bound), nil
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

func (p passkeyProof) verify(ctx context.Context, t *Tracker, u store.User) (proved, error) {
	of, shown, err := t.verifyPasskey(ctx, p, access.Request{})
	if err == nil && of.ID != u.ID {
		err = errWrongSignIn
	}
	return shown, err
}

// verifyPasskey returns the user of a passkey, and what its answer shows. A passkey that counts less than before is
// refused like a wrong one, and the audit log says so: somebody may have copied it.
func (t *Tracker) verifyPasskey(ctx context.Context, p passkeyProof, r access.Request) (u store.User, _ proved, err error) {
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

// maxPasskeys is the number of passkeys of a user.
const maxPasskeys = 20

var errNoPasskeys = conflictOf("no_passkeys", "Browsers make no passkeys at this address: it needs https and a name.")

// BeginPasskey returns the question for a new passkey of the caller.
func (t *Tracker) BeginPasskey(ctx context.Context, c access.Caller, v input.Valid[api.BeginPasskey]) (
	api.PasskeyQuestion, error,
) {
	if _, err := v.Value(c.Allow(api.OpBeginPasskey)); err != nil {
		return api.PasskeyQuestion{}, err
	}
	if t.passkeys == nil {
		return api.PasskeyQuestion{}, errNoPasskeys
	}
	return access.Write(ctx, t.access, c, api.OpBeginPasskey,
		func(tx *access.Tx, c access.Caller) (none api.PasskeyQuestion, _ error) {
			u, err := tx.User(c.ID)
			if err != nil {
				return none, err
			}
			a, _, err := t.passkeyAccount(ctx, u)
			if err != nil {
				return none, err
			}
			q, err := t.passkeys.AskToCreate(a)
			if err != nil {
				return none, err
			}
			own, _ := c.Credential.(access.SessionCredential)
			return t.sealQuestion(q, own.ID), nil
		})
}

// AddPasskey stores a new passkey of the caller. Its faults name /name and /passkey.
func (t *Tracker) AddPasskey(ctx context.Context, c access.Caller, v input.Valid[api.AddPasskey]) (
	api.AddedFactor, error,
) {
	in, err := v.Value(c.Allow(api.OpAddPasskey))
	if err != nil {
		return api.AddedFactor{}, err
	}
	name := strings.TrimSpace(in.Body.Name)
	if err := schema.CheckName(name); err != nil {
		return api.AddedFactor{}, api.InvalidMember("/name", "invalid", err.Error())
	}
	own, _ := c.Credential.(access.SessionCredential)
	q, err := t.openQuestion(in.Body.Passkey, own.ID)
	if err != nil || t.passkeys == nil {
		return api.AddedFactor{}, errNotCreated
	}
	u, err := t.access.Read(ctx).User(c.ID)
	if err != nil {
		return api.AddedFactor{}, err
	}
	a, all, err := t.passkeyAccount(ctx, u)
	if err != nil {
		return api.AddedFactor{}, err
	}
	made, err := t.passkeys.Created(a, q.State, in.Body.Passkey.Answer)
	if errors.Is(err, factor.ErrNotVerified) {
		return api.AddedFactor{}, errNotCreated
	}
	if err != nil {
		return api.AddedFactor{}, err
	}
	if len(all) >= maxPasskeys {
		return api.AddedFactor{}, api.InvalidMember("/name", "too_many", "you have 20 passkeys: remove one first")
	}
	return access.Write(ctx, t.access, c, api.OpAddPasskey, func(tx *access.Tx, c access.Caller) (api.AddedFactor, error) {
		p := factors.Passkey{ID: id.New(id.Passkey), UserID: c.ID, Credential: made.ID, Record: made.Record, Name: name,
			CreatedAt: t.clock()}
		return t.addFactor(tx, c, newFactor{by: ByPasskey, name: name, device: in.Body.Device, add: func() error {
			err := q.answer(tx)
			if err == nil {
				err = tx.Factors().AddPasskey(p)
			}
			var taken *store.UniqueViolationError
			if errors.Is(err, store.ErrNotFound) || errors.As(err, &taken) {
				err = errNotCreated
			}
			return err
		}})
	})
}

var errNotCreated = api.InvalidMember("/passkey", "wrong", "the passkey was not created; try again")

// RemovePasskey removes a passkey of the caller, unless it is the last way to sign in.
func (t *Tracker) RemovePasskey(ctx context.Context, c access.Caller, v input.Valid[api.RemovePasskey]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpRemovePasskey))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpRemovePasskey, func(tx *access.Tx, c access.Caller) error {
		u, err := tx.LockUser(c.ID)
		if err != nil {
			return err
		}
		if err := tx.Factors().RemovePasskey(u.ID, in.PasskeyID); err != nil {
			return access.OrNotFound(err, "passkey")
		}
		return t.removedFactor(tx, c, u, ByPasskey)
	})
}
