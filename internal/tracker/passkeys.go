package tracker

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/store/factors"
)

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
	return t.sealQuestion(q, from.Step, signInPageLifetime), nil
}

// NewStep returns a token for Client.Step of a browser that has none, to which the questions of the page to sign in are
// bound.
func (t *Tracker) NewStep() string { return newSessionToken() }

// SignInWithPasskey opens a session of the user of a passkey, which the user must have unlocked: that is two factors.
func (t *Tracker) SignInWithPasskey(ctx context.Context, from Client, in api.PasskeyAnswer) (NewSession, error) {
	reserved, wait := reserve([]limit{{t.signInLimits.addresses, network(from.Address)}})
	defer reserved.release() // unless it has failed
	if wait > 0 {
		return NewSession{}, t.throttled(wait)
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
			return t.sealQuestion(q, own.ID, stepLifetime), nil
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
	return access.Write(ctx, t.access, c, api.OpAddPasskey, func(tx *access.Tx, c access.Caller) (api.AddedFactor,
		error) {
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

// RenamePasskey gives a passkey of the caller another name. Its fault names /name.
func (t *Tracker) RenamePasskey(ctx context.Context, c access.Caller, v input.Valid[api.RenamePasskey]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpRenamePasskey))
	if err != nil {
		return none, err
	}
	name := strings.TrimSpace(in.Body.Name)
	if err := schema.CheckName(name); err != nil {
		return none, api.InvalidMember("/name", "invalid", err.Error())
	}
	return none, access.Change(ctx, t.access, c, api.OpRenamePasskey, func(tx *access.Tx, c access.Caller) error {
		u, err := tx.LockUser(c.ID)
		if err != nil {
			return err
		}
		all, err := tx.Factors().Passkeys(u.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(p factors.Passkey) bool { return p.ID == in.PasskeyID })
		switch {
		case i < 0:
			return api.NotFound("passkey")
		case all[i].Name == name:
			return nil
		}
		if err := tx.Factors().RenamePasskey(u.ID, in.PasskeyID, name); err != nil {
			return err
		}
		subject := factorSubject(u, ByPasskey)
		subject["passkey"] = name
		return t.recordAudit(tx, c, event{Type: api.EventPasskeyRenamed, ID: u.ID, Subject: subject,
			Previous: map[string]any{"passkey": all[i].Name}})
	})
}

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
