package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/password"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// resetLifetime is the time for which a link to reset a password works.
const resetLifetime = 24 * time.Hour

var errResetLink = api.NewProblem(api.CodeNotFound, "This link was used, has expired, or was replaced by a newer one.")

// CreateResetLink returns the token of a link with which a user sets another password, once and within 24 hours. It
// is shown once. Former links of the user stop working. The caller must manage the user. The link ends with that
// right.
func (t *Tracker) CreateResetLink(ctx context.Context, c access.Caller, v input.Valid[api.CreateResetLink]) (
	link api.LinkToken, err error,
) {
	in, err := v.Value(c.Allow(api.OpCreateResetLink))
	if err != nil {
		return link, err
	}
	err = t.changeUser(ctx, c, api.OpCreateResetLink, in.UserID,
		func(tx *access.Tx, c access.Caller, u store.User) (err error) {
			if _, err := t.passwordUntil(tx.Queries, u); err != nil {
				return err
			}
			link.Token, err = t.createResetLink(tx, c, u)
			return err
		})
	return link, err
}

// CreateResetLink is that of the Tracker. The link does not end with a right.
func (tx *OperatorTx) CreateResetLink(u store.User) (string, error) {
	return tx.t.createResetLink(tx.Tx, tx.c, u)
}

func (t *Tracker) createResetLink(tx *access.Tx, c access.Caller, u store.User) (string, error) {
	if u.DisabledAt != nil {
		return "", conflictOf(FaultDisabled, "The user is disabled. Enable the user first.")
	}
	l := store.ResetLink{UserID: u.ID, ExpiresAt: api.At(t.now().Add(resetLifetime))}
	if c.ID != "" {
		l.CreatedBy = &c.ID
	}
	text := rand.Text()
	if err := tx.PutResetLink(l, token.Hash(text)); err != nil {
		return "", err
	}
	return text, t.recordAudit(tx, c, event{Type: api.EventResetLinkCreated, ID: u.ID, Subject: userSubject(u)})
}

// CheckResetLink returns the e-mail address of the user of a link. It refuses a link that does not work with not_found.
func (t *Tracker) CheckResetLink(ctx context.Context, text string) (string, error) {
	q := t.access.Read(ctx)
	u, err := t.userOfResetLink(q, text, q.User)
	return u.Email, err
}

// userOfResetLink returns the user of a link that works: whose creator still manages the user. readUser reads both.
func (t *Tracker) userOfResetLink(q access.Queries, text string, readUser func(string) (store.User, error),
) (u store.User, err error) {
	l, err := q.ResetLink(token.Hash(text), t.clock())
	if err == nil {
		u, err = readUser(l.UserID)
	}
	if err == nil && l.CreatedBy != nil {
		var creator store.User
		creator, err = readUser(*l.CreatedBy)
		if err == nil && (creator.DisabledAt != nil || !managesUser(creator, u)) {
			err = errResetLink
		}
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && u.DisabledAt != nil {
		err = errResetLink
	}
	return u, err
}

// ResetPassword uses a link: it sets the password of the user, ends its sessions, and opens one, or returns a
// SecondFactorError for a user who has a second factor: the link replaces the password alone. Its fault names /password.
func (t *Tracker) ResetPassword(ctx context.Context, from Client, text, newPassword string) (NewSession, error) {
	if _, err := t.CheckResetLink(ctx, text); err != nil { // before the costly hash
		return NewSession{}, err
	}
	if err := password.CheckLength(newPassword); err != nil {
		return NewSession{}, NewPasswordProblem(err, "/password")
	}
	hash, err := t.passwords.Hash(ctx, newPassword)
	if err != nil {
		return NewSession{}, NewPasswordProblem(err, "/password")
	}
	entered, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (entry, error) {
		u, err := t.userOfResetLink(tx.Queries, text, tx.LockUser)
		if err == nil {
			err = tx.UseResetLink(token.Hash(text))
		}
		if errors.Is(err, store.ErrNotFound) {
			err = errResetLink
		}
		if err != nil {
			return entry{}, err
		}
		if err := errors.Join(tx.SetPassword(u.ID, hash), tx.DeleteSessions(u.ID)); err != nil {
			return entry{}, err
		}
		c := callerOf(u, from.Request)
		if err := t.recordAudit(tx, c, event{Type: api.EventUserPasswordChanged, ID: u.ID,
			Subject: userSubject(u)}); err != nil {
			return entry{}, err
		}
		if u, err = tx.User(u.ID); err != nil { // with its new epoch
			return entry{}, err
		}
		return t.admit(tx, u, from, proved{by: ByPassword})
	})
	return entered.result(err)
}
