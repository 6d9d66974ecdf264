package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/mail"
	"bugslice/internal/store"
	"bugslice/internal/store/mails"
	"bugslice/internal/store/notices"
)

const (
	mailLease     = mail.MaxSend + 10*time.Second
	mailWindow    = 10 * time.Minute
	mailsOfWindow = 5                   // mails of notices to a user in a window, the last of which may be a bundle
	failedMailAge = 30 * 24 * time.Hour // after which a failed mail is deleted
	serverPause   = 30 * time.Second    // after which a mail is tried again for which no server was reached
)

// mailSchedule are the delays between attempts that the server has answered. A mail whose attempt after the last delay fails
// has failed, three days after it was made.
var mailSchedule = []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute,
	15 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 12 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// MailAttempts returns the number of attempts of this node to send a mail with an outcome.
func (t *Tracker) MailAttempts(o mail.Outcome) int64 {
	t.mailCounts.mu.Lock()
	defer t.mailCounts.mu.Unlock()
	return t.mailCounts.all[o]
}

// queueMails stores of which notices their users are told by mail.
func (t *Tracker) queueMails(tx *access.Tx, all []notices.Notice) error {
	if t.mail == nil || len(all) == 0 {
		return nil
	}
	users := convert(all, func(n notices.Notice) string { return n.UserID })
	settings, err := mailFieldsOf(tx.Queries, users)
	if err != nil {
		return err
	}
	var items []mails.Item
	for _, n := range all {
		fields := settings[n.UserID]
		if i := (mails.Item{NoticeID: n.ID, UserID: n.UserID}); schedule(&i, fields, n.Reason, t.now()) {
			items = append(items, i)
		}
	}
	if len(items) == 0 {
		return nil
	}
	return tx.Mails().Queue(items)
}

// LeaseMails makes the mails that are due, and leases at most limit of those that are to be sent.
func (t *Tracker) LeaseMails(ctx context.Context, limit int) ([]mails.Mail, error) {
	now := t.clock()
	q := t.access.Read(ctx).Mails()
	if due, err := q.Due(now); err != nil || !due || t.mail == nil {
		return nil, err
	}
	turns, err := q.DueTurns(now, limit)
	if err != nil {
		return nil, err
	}
	for _, turn := range turns {
		if err := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return t.takeTurn(tx, turn)
		}); err != nil {
			return nil, err
		}
	}
	return access.SystemWrite(ctx, t.authority, func(tx *access.Tx) ([]mails.Mail, error) {
		return tx.Mails().Lease(now, api.At(now.Add(mailLease)), limit)
	})
}

// takeTurn makes the mails of the notices of a user that are due.
func (t *Tracker) takeTurn(tx *access.Tx, turn mails.Turn) error {
	w := tx.Mails()
	taken, err := w.TakeTurn(&turn)
	if err != nil || !taken {
		return err
	}
	items, err := w.Waiting(turn.UserID)
	if err != nil {
		return err
	}
	u, err := tx.User(turn.UserID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	stopped, err := w.Stopped(u.Email)
	if err != nil {
		return err
	}
	plan := planMails(&turn, items, t.clock())
	if u.ID == "" || u.DisabledAt != nil || u.ErasedAt != nil || stopped != nil { // the inbox has them
		plan = mailPlan{dropped: convert(items, func(i mails.Item) string { return i.NoticeID })}
	}
	if err := w.Drop(plan.dropped); err != nil {
		return err
	}
	for _, planned := range plan.mails {
		m := mails.Mail{ID: id.New(id.Mail), Kind: planned.kind, OrgID: &u.OrgID, UserID: &u.ID, CreatedAt: t.clock()}
		if err := errors.Join(w.Insert(m, m.CreatedAt), w.Assign(m.ID, planned.notices)); err != nil {
			return err
		}
	}
	return w.EndTurn(turn, plan.notBefore)
}

// mailPlan is which mails are made of notices, and of which there is none.
type mailPlan struct {
	mails     []plannedMail
	dropped   []string
	notBefore api.Time // when the next are made at the earliest
}

// plannedMail is a mail with its notices.
type plannedMail struct {
	kind    string
	notices []string
}

// planMails decides which mails are made of the notices of a user that wait. The notices of a report are one mail. When more
// than mailsOfWindow mails of a window are due or will be soon, a bundle of all is made, and the next ones wait for the end of
// the window.
func planMails(turn *mails.Turn, items []mails.Item, now api.Time) (p mailPlan) {
	var digest []string
	var order []string
	reports, due := map[string][]string{}, map[string]bool{}
	for _, i := range items {
		key := i.NoticeID
		if i.SliceID != nil {
			key = *i.SliceID
		}
		isDue := !i.DueAt.After(now.Time)
		switch {
		case !i.Unread:
			p.dropped = append(p.dropped, i.NoticeID)
		case i.Digest && isDue:
			digest = append(digest, i.NoticeID)
		case !i.Digest:
			if reports[key] == nil {
				order = append(order, key)
			}
			reports[key] = append(reports[key], i.NoticeID)
			due[key] = due[key] || isDue
		}
	}
	if len(digest) > 0 {
		p.mails = append(p.mails, plannedMail{mailOfDigest, digest})
	}
	if now.Sub(turn.WindowAt.Time) >= mailWindow {
		turn.WindowAt, turn.WindowMails = now, 0
	}
	var ready []plannedMail
	var all []string
	for _, key := range order {
		all = append(all, reports[key]...)
		if due[key] {
			ready = append(ready, plannedMail{mailOfReport, reports[key]})
		}
	}
	switch {
	case len(ready) == 0:
	case turn.WindowMails >= mailsOfWindow:
		p.notBefore = api.At(turn.WindowAt.Add(mailWindow))
	case turn.WindowMails+int64(len(order)) > mailsOfWindow:
		p.mails = append(p.mails, plannedMail{mailOfBundle, all})
		turn.WindowMails = mailsOfWindow
	default:
		p.mails = append(p.mails, ready...)
		turn.WindowMails += int64(len(ready))
	}
	return p
}

// SendMail makes one attempt to send a leased mail, and records it. It reports whether the server could be reached.
func (t *Tracker) SendMail(ctx context.Context, m mails.Mail) (reached bool, err error) {
	ctx = context.WithoutCancel(ctx)
	now := t.clock()
	switch {
	case m.Unknown >= mails.MaxUnknown:
		return true, t.failMail(ctx, m, "It was sent twice, and nobody knows whether it arrived.")
	case m.ExpiresAt != nil && !m.ExpiresAt.After(now.Time):
		return true, t.failMail(ctx, m, "Its link has expired: "+m.Error)
	}
	message, err := t.mailMessage(ctx, &m)
	if errors.Is(err, errMailNotWanted) {
		return true, access.SystemChange(ctx, t.authority, func(tx *access.Tx) error { return tx.Mails().Delete(m) })
	}
	if err != nil {
		return true, err
	}
	result := t.mail.Send(ctx, message, func() error {
		return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			held, err := tx.Mails().Commit(m)
			if err == nil && !held {
				err = errors.New("another node has the mail")
			}
			return err
		})
	})
	t.mailCounts.add(result.Outcome)
	return result.Outcome != mail.Unreachable, t.recordMail(ctx, m, message.Email, result)
}

// recordMail records the outcome of an attempt.
func (t *Tracker) recordMail(ctx context.Context, m mails.Mail, address string, result mail.Result) error {
	now := t.clock()
	m.Error = result.Words
	if result.Outcome == mail.Delayed || result.Outcome == mail.Unknown {
		m.Tries++
	}
	if result.Outcome == mail.Unknown {
		m.Unknown++
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		w := tx.Mails()
		switch result.Outcome {
		case mail.Abandoned: // the lease has ended, or ends
			return nil
		case mail.Sent:
			if isOfNotices(m.Kind) {
				return w.Delete(m)
			}
			return errors.Join(w.Delete(m), w.Resume(address))
		case mail.Unreachable:
			return w.Return(m, api.At(now.Add(jitter(serverPause))))
		case mail.Bounced:
			t.log.Info("a mail server has refused an address", "mail", m.ID, "words", result.Words)
			if err := w.Stop(api.StoppedAddress{Email: address, Words: result.Words, StoppedAt: now}); err != nil {
				return err
			}
			if isOfNotices(m.Kind) {
				return w.Delete(m)
			}
			return w.Fail(m, now)
		}
		if m.Tries > int64(len(mailSchedule)) || m.Unknown >= mails.MaxUnknown {
			if result.Outcome == mail.Unknown {
				m.Error = "Nobody knows whether it arrived: " + m.Error
			}
			return w.Fail(m, now)
		}
		return w.Return(m, api.At(now.Add(jitter(mailSchedule[m.Tries-1]))))
	})
}

// isOfNotices reports whether a mail tells of notices, which stand in the inbox, too.
func isOfNotices(kind string) bool {
	return kind == mailOfReport || kind == mailOfBundle || kind == mailOfDigest
}

func (t *Tracker) failMail(ctx context.Context, m mails.Mail, why string) error {
	m.Error = why
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error { return tx.Mails().Fail(m, t.clock()) })
}

// deleteFailedMails deletes some mails that failed long ago.
func (t *Tracker) deleteFailedMails(tx *access.Tx) (int, error) {
	return tx.Mails().DeleteOld(api.At(t.now().Add(-failedMailAge)), jobBatch)
}
