package tracker

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/mail"
	"bugslice/internal/store/mails"
)

// mailFieldsOf returns what holds for users: what they have chosen, or the defaults in the time zone of their pages.
func mailFieldsOf(q access.Queries, userIDs []string) (map[string]api.MailFields, error) {
	userIDs = slices.Compact(slices.Sorted(slices.Values(userIDs)))
	chosen, err := q.Mails().Settings(userIDs)
	if err != nil {
		return nil, err
	}
	zones, err := q.Mails().Zones(userIDs)
	all := map[string]api.MailFields{}
	for _, userID := range userIDs {
		if s, ok := chosen[userID]; ok {
			all[userID] = s.MailFields
			continue
		}
		f := mail.Defaults
		if _, err := loadZone(zones[userID]); err == nil {
			f.TimeZone = zones[userID]
		}
		all[userID] = f
	}
	return all, err
}

// schedule sets when and how a notice is told, and reports whether it is.
func schedule(i *mails.Item, f api.MailFields, reason api.NoticeReason, now time.Time) bool {
	when := *f.Of(api.KindOf(reason))
	i.Digest = when == api.MailDigest
	i.DueAt = api.At(mail.Next(f, now, i.Digest))
	return when != api.MailNever
}

// MailEnabled reports whether the instance sends mails.
func (t *Tracker) MailEnabled() bool { return t.mail != nil }

// GetMailSettings returns what the caller has chosen about mails.
func (t *Tracker) GetMailSettings(ctx context.Context, c access.Caller, v input.Valid[api.GetMailSettings],
) (api.MailSettings, error) {
	if _, err := v.Value(c.Allow(api.OpGetMailSettings)); err != nil {
		return api.MailSettings{}, err
	}
	return t.mailSettings(t.access.Read(ctx), c.ID)
}

func (t *Tracker) mailSettings(q access.Queries, userID string) (s api.MailSettings, err error) {
	u, err := q.User(userID)
	if err != nil {
		return s, err
	}
	s.Enabled = t.MailEnabled()
	fields, err := mailFieldsOf(q, []string{userID})
	if err != nil {
		return s, err
	}
	s.MailFields = fields[userID]
	chosen, err := q.Mails().Settings([]string{userID})
	if err != nil {
		return s, err
	}
	s.Version = chosen[userID].Version
	s.Stopped, err = q.Mails().Stopped(u.Email)
	return s, err
}

// UpdateMailSettings changes what the caller has chosen about mails. Notices that wait follow it. Its faults name the members.
func (t *Tracker) UpdateMailSettings(ctx context.Context, c access.Caller, v input.Valid[api.UpdateMailSettings],
) (api.MailSettings, error) {
	in, err := v.Value(c.Allow(api.OpUpdateMailSettings))
	if err != nil {
		return api.MailSettings{}, err
	}
	return access.Write(ctx, t.access, c, api.OpUpdateMailSettings,
		func(tx *access.Tx, c access.Caller) (api.MailSettings, error) {
			s, err := t.mailSettings(tx.Queries, c.ID)
			if err != nil {
				return s, err
			}
			if err := mergePatch(&s.MailFields, in.Patch); err != nil {
				return s, err
			}
			if faults := mailFaults(s.MailFields); len(faults) > 0 {
				return s, api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
			}
			if err := t.putMailFields(tx, c.ID, s.MailFields); err != nil {
				return s, err
			}
			s.Version++
			return s, nil
		})
}

// putMailFields stores what a user has chosen, and when the notices are told that wait.
func (t *Tracker) putMailFields(tx *access.Tx, userID string, f api.MailFields) error {
	w := tx.Mails()
	if err := w.LockTurn(userID); err != nil {
		return err
	}
	if err := w.PutSettings(mails.Settings{UserID: userID, MailFields: f}); err != nil {
		return err
	}
	items, err := w.Waiting(userID)
	if err != nil || len(items) == 0 {
		return err
	}
	var dropped, kept []mails.Item
	for _, i := range items {
		if schedule(&i, f, i.Reason, t.now()) {
			kept = append(kept, i)
		} else {
			dropped = append(dropped, i)
		}
	}
	if err := w.Drop(convert(dropped, func(i mails.Item) string { return i.NoticeID })); err != nil {
		return err
	}
	for _, i := range kept {
		if err := w.Reschedule(i); err != nil {
			return err
		}
	}
	return w.Queue(kept) // the turn is due when the first of them is
}

// mailFaults returns the faults of what a user has chosen about mails.
func mailFaults(f api.MailFields) (all []api.Fault) {
	fault := func(member, code, detail string) {
		all = append(all, api.Fault{Pointer: "/" + member, Code: code, Detail: detail})
	}
	for _, k := range api.MailKinds {
		if !slices.Contains(api.MailNow.Values(), string(*f.Of(k))) {
			fault(string(k), "unknown", "must be now, digest or never")
		}
	}
	const day = 24 * 60
	if f.DigestHour < 0 || f.DigestHour > 23 {
		fault("digestHour", "out_of_range", "must be an hour from 0 to 23")
	}
	if f.QuietFrom < 0 || f.QuietFrom >= day {
		fault("quietFrom", "out_of_range", "must be a minute of the day")
	}
	if f.QuietUntil < 0 || f.QuietUntil >= day {
		fault("quietUntil", "out_of_range", "must be a minute of the day")
	}
	if f.QuietDays < 0 || f.QuietDays >= 1<<7-1 {
		fault("quietDays", "out_of_range", "one day of the week must not be quiet")
	}
	if _, err := loadZone(f.TimeZone); err != nil {
		fault("timeZone", "unknown", unknownZone)
	}
	return all
}

const (
	stopPurpose = "mail stop" // of the addresses that stop mails
	undoPurpose = "mail undo" // of the way back
)

// stop is what an address that stops mails says: to whom, and of which kinds they are.
type stop struct {
	UserID string         `json:"u"`
	Kinds  []api.MailKind `json:"k,omitempty"` // none for the digest
	Former api.MailFields `json:"f,omitzero"`  // of the way back
}

// sealStop returns the secret of an address that stops mails, or that takes this back.
func (t *Tracker) sealStop(purpose string, s stop) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain data
	}
	return t.seal(purpose, "", string(text))
}

var errStopLink = api.NewProblem(api.CodeNotFound,
	"This address stops no mails: it is incomplete or too old. Sign in, and choose under Settings, Notifications.")

func (t *Tracker) openStop(purpose, text string) (s stop, err error) {
	plain, err := t.unseal(purpose, "", text)
	if err != nil {
		return s, errStopLink
	}
	return s, json.Unmarshal([]byte(plain), &s)
}

// StoppedMails is what an address that stops mails does: for whom, which kinds, none of them for the digest, and the secret
// by which it is taken back.
type StoppedMails struct {
	Email string
	Kinds []api.MailKind
	Undo  string
}

// MailStop returns what an address that stops mails would do. It changes nothing.
func (t *Tracker) MailStop(ctx context.Context, secret string) (out StoppedMails, err error) {
	s, err := t.openStop(stopPurpose, secret)
	if err != nil {
		return out, err
	}
	u, err := t.access.Read(ctx).User(s.UserID)
	if err != nil || u.ErasedAt != nil {
		return out, errStopLink
	}
	return StoppedMails{Email: u.Email, Kinds: s.Kinds}, nil
}

// StopMails stops the mails that an address is for: whoever has a mail may stop its like, without signing in.
func (t *Tracker) StopMails(ctx context.Context, secret string) (out StoppedMails, err error) {
	if out, err = t.MailStop(ctx, secret); err != nil {
		return out, err
	}
	s, err := t.openStop(stopPurpose, secret)
	if err != nil {
		return out, err
	}
	former, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (api.MailFields, error) {
		all, err := mailFieldsOf(tx.Queries, []string{s.UserID})
		if err != nil {
			return api.MailFields{}, err
		}
		f := all[s.UserID]
		for _, k := range api.MailKinds {
			if slices.Contains(s.Kinds, k) || len(s.Kinds) == 0 && *f.Of(k) == api.MailDigest {
				*f.Of(k) = api.MailNever
			}
		}
		return all[s.UserID], t.putMailFields(tx, s.UserID, f)
	})
	out.Undo = t.sealStop(undoPurpose, stop{UserID: s.UserID, Kinds: s.Kinds, Former: former})
	return out, err
}

// ResumeMails takes back what StopMails did.
func (t *Tracker) ResumeMails(ctx context.Context, undo string) error {
	s, err := t.openStop(undoPurpose, undo)
	if err != nil {
		return err
	}
	if u, err := t.access.Read(ctx).User(s.UserID); err != nil || u.ErasedAt != nil {
		return errStopLink
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		all, err := mailFieldsOf(tx.Queries, []string{s.UserID})
		if err != nil {
			return err
		}
		f := all[s.UserID]
		for _, k := range api.MailKinds {
			if slices.Contains(s.Kinds, k) || len(s.Kinds) == 0 && *s.Former.Of(k) == api.MailDigest {
				*f.Of(k) = *s.Former.Of(k)
			}
		}
		return t.putMailFields(tx, s.UserID, f)
	})
}
