package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// mailsShown is the number of failed mails, and of stopped addresses, that are shown.
const mailsShown = 100

// requireManager refuses a caller who does not manage the people of the organisation.
func requireManager(q access.Queries, c access.Caller) (store.User, error) {
	u, err := q.User(c.ID)
	if err == nil && !managesPeople(u.Role) {
		err = errManagersOnly
	}
	return u, err
}

// GetMailState returns what becomes of the mails of the organisation. The caller must manage its people.
func (t *Tracker) GetMailState(ctx context.Context, c access.Caller, v input.Valid[api.GetMailState]) (
	s api.MailState, err error,
) {
	if _, err := v.Value(c.Allow(api.OpGetMailState)); err != nil {
		return s, err
	}
	q := t.access.Read(ctx)
	u, err := requireManager(q, c)
	if err != nil {
		return s, err
	}
	if t.mail != nil {
		s.Server = t.mail.Describe()
	}
	b, err := q.Mails().Backlog(u.OrgID, t.clock())
	if err != nil {
		return s, err
	}
	s.Waiting, s.Oldest, s.LastError = b.Waiting, b.Oldest, b.Error
	failed, err := q.Mails().Failed(u.OrgID, mailsShown)
	if err != nil {
		return s, err
	}
	for _, m := range failed {
		s.Failed = append(s.Failed, api.FailedMail{ID: m.ID, Kind: m.Kind, Email: m.Address, Words: m.Error,
			FailedAt: *m.FailedAt})
	}
	s.Stopped, err = q.Mails().StoppedOf(u.OrgID, mailsShown)
	return s, err
}

// RetryMail sends a mail of the organisation once more that has failed. The caller must manage its people.
func (t *Tracker) RetryMail(ctx context.Context, c access.Caller, v input.Valid[api.RetryMail]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpRetryMail))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpRetryMail, func(tx *access.Tx, c access.Caller) error {
		u, err := requireManager(tx.Queries, c)
		if err != nil {
			return err
		}
		found, err := tx.Mails().Retry(u.OrgID, in.MailID, t.clock())
		if err == nil && !found {
			err = api.NotFound("mail")
		}
		tx.NotifyOnCommit()
		return err
	})
}

// ResumeMail lets mails be sent again to the stopped address of the caller, or of a user whom the caller manages.
func (t *Tracker) ResumeMail(ctx context.Context, c access.Caller, v input.Valid[api.ResumeMail]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpResumeMail))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpResumeMail, func(tx *access.Tx, c access.Caller) error {
		u, err := tx.User(c.ID)
		if err == nil && in.UserID != "" && in.UserID != c.ID {
			if _, err = requireManager(tx.Queries, c); err == nil {
				org := u.OrgID
				if u, err = tx.User(in.UserID); err == nil && u.OrgID != org {
					err = store.ErrNotFound
				}
			}
		}
		if err != nil {
			return access.OrNotFound(err, "user")
		}
		return tx.Mails().Resume(u.Email)
	})
}

// SendTestMail sends a mail to the caller, also when its address is stopped. The caller must manage the people of the
// organisation.
func (t *Tracker) SendTestMail(ctx context.Context, c access.Caller, v input.Valid[api.SendTestMail]) (
	none api.Nothing, _ error,
) {
	_, err := v.Value(c.Allow(api.OpSendTestMail))
	if err == nil {
		err = t.requireMail()
	}
	if err == nil {
		err = spend(t.mailLimits.links, c.ID)
	}
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpSendTestMail, func(tx *access.Tx, c access.Caller) error {
		u, err := requireManager(tx.Queries, c)
		if err != nil {
			return err
		}
		m := t.newMail(mailOfTest, u)
		tx.NotifyOnCommit()
		return tx.Mails().Insert(m, m.CreatedAt)
	})
}

func (t *Tracker) mailBacklog(q access.Queries) (MailBacklog, error) {
	b, err := q.Mails().Backlog("", t.clock())
	return MailBacklog{Waiting: b.Waiting, Failed: b.Failed, Oldest: b.Oldest}, err
}

// MailBacklog is the mails of the instance that wait or have failed.
type MailBacklog struct {
	Waiting int64     `json:"waiting"`
	Failed  int64     `json:"failed"`
	Oldest  *api.Time `json:"oldest"`
}
