package tracker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/store/mails"
	"bugslice/internal/token"
)

const (
	emailChangeLifetime = 24 * time.Hour // in which a wanted address is proved
	mailLinkPurpose     = "mail links"
)

var errNoMail = api.NewProblem(api.CodeForbidden, "This instance sends no mails: its operator has set no mail server.")

// requireMail refuses what needs a mail server when there is none.
func (t *Tracker) requireMail() error {
	if t.mail == nil {
		return errNoMail
	}
	return nil
}

// newMail returns a mail that is made now.
func (t *Tracker) newMail(kind string, u store.User) mails.Mail {
	m := mails.Mail{ID: id.New(id.Mail), Kind: kind, CreatedAt: t.clock()}
	if u.ID != "" {
		m.OrgID, m.UserID = &u.OrgID, &u.ID
	}
	return m
}

// sealLink gives a mail the secret of a link, which works until a time.
func (t *Tracker) sealLink(m *mails.Mail, secret string, until api.Time) {
	m.Sealed = t.seal(mailLinkPurpose, m.ID, secret)
	m.ExpiresAt = &until
}

// MailLink sends a link that the caller has just created to the person for whom it is: an invitation, a link to reset a
// password, or a share.
func (t *Tracker) MailLink(ctx context.Context, c access.Caller, v input.Valid[api.MailLink]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpMailLink))
	if err == nil {
		err = t.requireMail()
	}
	if err == nil && in.Body.Kind == api.LinkShare {
		if in.Body.Email, err = ParseEmail(in.Body.Email); err != nil {
			err = api.InvalidMember("/email", "invalid", err.Error())
		}
	}
	if err == nil {
		err = spend(t.mailLimits.links, c.ID)
	}
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpMailLink, func(tx *access.Tx, c access.Caller) error {
		u, err := tx.User(c.ID)
		if err != nil {
			return err
		}
		m, until, err := t.mailOfLink(tx.Queries, u, in.Body)
		if err != nil {
			return access.OrNotFound(err, "link")
		}
		if err := spend(t.mailLimits.addressees, cmp.Or(m.Address, text(m.UserID))); err != nil {
			return err
		}
		t.sealLink(&m, in.Body.Token, until)
		tx.NotifyOnCommit()
		return tx.Mails().Insert(m, m.CreatedAt)
	})
}

// MailedShare returns the share of a link that the caller has created.
func (t *Tracker) MailedShare(ctx context.Context, c access.Caller, secret string) (api.Share, error) {
	if err := c.Allow(api.OpMailLink); err != nil {
		return api.Share{}, err
	}
	s, err := t.access.Read(ctx).ShareOfToken(token.Hash(secret))
	if err == nil && text(s.CreatedBy.UserID) != c.ID {
		err = store.ErrNotFound
	}
	return t.showShare(s), access.OrNotFound(err, "share")
}

// mailOfLink returns the mail for a link, and until when the link works. Only who has created it may send it.
func (t *Tracker) mailOfLink(q access.Queries, u store.User, l api.MailedLink) (
	m mails.Mail, until api.Time, err error,
) {
	m, hash := t.newMail(string(l.Kind), store.User{}), token.Hash(l.Token)
	m.OrgID = &u.OrgID
	switch l.Kind {
	case api.LinkInvitation:
		i, err := q.InvitationOfToken(hash, t.clock())
		if err == nil && i.UserID != u.ID {
			err = store.ErrNotFound
		}
		m.Address, m.SubjectID = i.Email, i.ID
		return m, i.ExpiresAt, err
	case api.LinkReset:
		r, err := q.ResetLink(hash, t.clock())
		if err == nil && text(r.CreatedBy) != u.ID {
			err = store.ErrNotFound
		}
		m.UserID = &r.UserID
		return m, r.ExpiresAt, err
	case api.LinkShare:
		s, err := q.ShareOfToken(hash)
		if err == nil && text(s.CreatedBy.UserID) != u.ID {
			err = store.ErrNotFound
		}
		m.Address, m.SubjectID = l.Email, s.ID
		return m, s.ExpiresAt, err
	}
	return m, until, api.InvalidMember("/kind", "unknown", "must be invitation, reset or share")
}

// ForgotPassword lets a link to reset the password be sent to an address, when somebody has it. What it answers and how long
// that takes do not say so: who has the address is read when the mail is sent.
func (t *Tracker) ForgotPassword(ctx context.Context, from Client, address string) error {
	if err := t.requireMail(); err != nil {
		return err
	}
	if err := spend(t.mailLimits.forgotNetwork, network(from.Address)); err != nil {
		return err
	}
	email, err := ParseEmail(address)
	if err != nil || spend(t.mailLimits.forgotAddress, email) != nil {
		return nil // the same answer
	}
	m := t.newMail(mailOfForgot, store.User{})
	m.Address, m.ExpiresAt = email, new(api.At(m.CreatedAt.Add(resetLifetime)))
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		tx.NotifyOnCommit()
		return tx.Mails().Insert(m, m.CreatedAt)
	})
}

// resetOfMail returns the user of the address of a mail, and the secret of the link, which is made with the first attempt. It
// returns errNoPasswords with a user who signs in at a provider alone.
func (t *Tracker) resetOfMail(ctx context.Context, m *mails.Mail) (u store.User, secret string, err error) {
	q := t.access.Read(ctx)
	u, err = q.UserByEmail(m.Address)
	if errors.Is(err, store.ErrNotFound) || err == nil && (u.DisabledAt != nil || u.ErasedAt != nil) {
		return u, "", errMailNotWanted
	}
	if err == nil {
		_, err = t.passwordUntil(q, u)
	}
	if err != nil {
		return u, "", err
	}
	if m.Sealed != "" {
		secret, err = t.unseal(mailLinkPurpose, m.ID, m.Sealed)
		return u, secret, err
	}
	secret = rand.Text()
	link := store.ResetLink{UserID: u.ID, Asked: true, ExpiresAt: api.At(t.now().Add(resetLifetime))}
	t.sealLink(m, secret, link.ExpiresAt)
	return u, secret, access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		if err := errors.Join(tx.Mails().SetSealed(*m), tx.PutResetLink(link, token.Hash(secret))); err != nil {
			return err
		}
		return t.recordAudit(tx, access.System(u.OrgID), event{Type: api.EventResetLinkCreated, ID: u.ID,
			Subject: userSubject(u)})
	})
}

// ChangeEmail sends a link to an address, by which its reader makes it the address of the caller. The present address is told.
// Whether somebody has the address already is not said: who has it gets no link.
func (t *Tracker) ChangeEmail(ctx context.Context, c access.Caller, v input.Valid[api.ChangeEmail]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpChangeEmail))
	if err == nil {
		err = t.requireMail()
	}
	if err != nil {
		return none, err
	}
	email, err := ParseEmail(in.Body.Email)
	if err != nil {
		return none, api.InvalidMember("/email", "invalid", err.Error())
	}
	return none, access.Change(ctx, t.access, c, api.OpChangeEmail, func(tx *access.Tx, c access.Caller) error {
		u, err := tx.User(c.ID)
		if err != nil {
			return err
		}
		if email == u.Email {
			return api.InvalidMember("/email", "same", "this is your address already")
		}
		if err := spend(t.mailLimits.links, c.ID); err != nil {
			return err
		}
		if err := spend(t.mailLimits.addressees, email); err != nil {
			return err
		}
		secret := rand.Text()
		change := mails.EmailChange{UserID: u.ID, Email: email, ExpiresAt: api.At(t.now().Add(emailChangeLifetime))}
		if err := tx.Mails().PutEmailChange(change, token.Hash(secret)); err != nil {
			return err
		}
		proof, asked := t.newMail(mailOfProof, u), t.newMail(mailOfAsked, u)
		proof.Address, asked.SubjectID = email, email
		t.sealLink(&proof, secret, change.ExpiresAt)
		tx.NotifyOnCommit()
		return errors.Join(tx.Mails().Insert(proof, proof.CreatedAt), tx.Mails().Insert(asked, asked.CreatedAt))
	})
}

var errEmailLink = api.NewProblem(api.CodeNotFound, "This link was used, has expired, or was replaced by a newer one.")

// WantedEmail is the address that a user wants to have.
type WantedEmail struct{ UserID, Former, Email string }

// WantedEmail returns what the link of an address would change. It changes nothing.
func (t *Tracker) WantedEmail(ctx context.Context, secret string) (WantedEmail, error) {
	q := t.access.Read(ctx)
	return t.wantedEmail(q, secret, q.User)
}

func (t *Tracker) wantedEmail(q access.Queries, secret string, readUser func(string) (store.User,
	error)) (w WantedEmail, err error) {
	change, err := q.Mails().EmailChange(token.Hash(secret), t.clock())
	var u store.User
	if err == nil {
		u, err = readUser(change.UserID)
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && (u.DisabledAt != nil || u.ErasedAt != nil) {
		err = errEmailLink
	}
	return WantedEmail{UserID: u.ID, Former: u.Email, Email: change.Email}, err
}

// ProveEmail uses the link of an address: it becomes the address of the user who has asked for it. The former one is told.
func (t *Tracker) ProveEmail(ctx context.Context, from Client, secret string) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		wanted, err := t.wantedEmail(tx.Queries, secret, tx.LockUser)
		if err == nil {
			err = tx.Mails().UseEmailChange(errEmailLink, token.Hash(secret))
		}
		if err != nil {
			return err
		}
		u, err := tx.User(wanted.UserID)
		if err != nil {
			return err
		}
		previous := u.Email
		err = tx.Mails().SetEmail(u.ID, wanted.Email)
		if taken, ok := errors.AsType[*store.UniqueViolationError](err); ok && taken.Index == store.IndexEmail {
			return api.NewProblem(api.CodeConflict, "Somebody else has this address now.")
		}
		if err != nil {
			return err
		}
		u.Email = wanted.Email
		told := t.newMail(mailOfChanged, u)
		told.Address, told.SubjectID = previous, wanted.Email
		if err := errors.Join(tx.Mails().Resume(wanted.Email), tx.Mails().Insert(told, told.CreatedAt)); err != nil {
			return err
		}
		tx.NotifyOnCommit()
		return t.recordAudit(tx, callerOf(u, from.Request), event{Type: api.EventUserUpdated, ID: u.ID,
			Subject:  userSubject(u),
			Previous: map[string]any{"email": previous}})
	})
}
