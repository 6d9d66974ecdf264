package mails

import (
	"maps"
	"slices"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Settings are what a user has chosen about mails.
type Settings struct {
	api.MailFields
	UserID  string
	Version int64
}

func sorted(m map[string]int64) []string { return slices.Sorted(maps.Keys(m)) }

// Settings returns those of users who have chosen something.
func (q Reader) Settings(userIDs []string) (map[string]Settings, error) {
	var p sqldb.Params
	all := map[string]Settings{}
	err := q.DB.Each(func(r sqldb.Row) error {
		var s Settings
		err := r.Scan(&s.UserID, &s.Mentioned, &s.Assigned, &s.Participating, &s.Watching, &s.Views, &s.DigestHour,
			&s.QuietFrom,
			&s.QuietUntil, &s.QuietDays, &s.TimeZone, &s.Version)
		all[s.UserID] = s
		return err
	}, `SELECT user_id, mentioned, assigned, participating, watching, views, digest_hour, quiet_from, quiet_until, quiet_days, time_zone,
		version FROM mail_settings WHERE user_id IN `+sqldb.In(&p, userIDs), p.Args...)
	return all, err
}

// PutSettings stores what a user has chosen, as the next version.
func (w Writer) PutSettings(s Settings) error {
	return w.DB.Exec(`INSERT INTO mail_settings (user_id, mentioned, assigned, participating, watching, views, digest_hour, quiet_from,
			quiet_until, quiet_days, time_zone, version) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1)
		ON CONFLICT (user_id) DO UPDATE SET mentioned = excluded.mentioned, assigned = excluded.assigned,
			participating = excluded.participating, watching = excluded.watching, views = excluded.views,
			digest_hour = excluded.digest_hour, quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until,
			quiet_days = excluded.quiet_days, time_zone = excluded.time_zone, version = mail_settings.version + 1`,
		s.UserID, s.Mentioned, s.Assigned, s.Participating, s.Watching, s.Views, s.DigestHour, s.QuietFrom, s.QuietUntil, s.QuietDays,
		s.TimeZone)
}

// Zones returns the time zones that users have chosen for pages, empty for that of the browser.
func (q Reader) Zones(userIDs []string) (map[string]string, error) {
	var p sqldb.Params
	all := map[string]string{}
	err := q.DB.Each(func(r sqldb.Row) error {
		var userID, zone string
		err := r.Scan(&userID, &zone)
		all[userID] = zone
		return err
	}, "SELECT u.id, u.time_zone FROM users u WHERE u.id IN "+sqldb.In(&p, userIDs), p.Args...)
	return all, err
}

// Stop stores that a mail server has refused an address.
func (w Writer) Stop(a api.StoppedAddress) error {
	return w.DB.Exec(`INSERT INTO stopped_addresses (email, words, stopped_at) VALUES ($1, $2, $3)
		ON CONFLICT (email) DO UPDATE SET words = excluded.words, stopped_at = excluded.stopped_at`, a.Email, a.Words,
		a.StoppedAt.UnixMilli())
}

// Resume lets notices be sent to an address again.
func (w Writer) Resume(email string) error {
	return w.DB.Exec("DELETE FROM stopped_addresses WHERE email = $1", email)
}

func scanStopped(r sqldb.Row) (a api.StoppedAddress, err error) {
	var at int64
	err = r.Scan(&a.Email, &a.UserID, &a.Words, &at)
	a.StoppedAt = api.FromMillis(at)
	return a, err
}

// Stopped returns the refusal of an address, nil when there is none.
func (q Reader) Stopped(email string) (*api.StoppedAddress, error) {
	found, err := sqldb.List(q.DB, scanStopped,
		"SELECT a.email, '', a.words, a.stopped_at FROM stopped_addresses a WHERE a.email = $1", email)
	if len(found) == 0 {
		return nil, err
	}
	return &found[0], err
}

// StoppedOf returns at most limit refused addresses of the users of an organisation, the last ones first.
func (q Reader) StoppedOf(orgID string, limit int) ([]api.StoppedAddress, error) {
	return sqldb.List(q.DB, scanStopped, `SELECT a.email, u.id, a.words, a.stopped_at FROM stopped_addresses a
		JOIN users u ON u.email = a.email WHERE u.org_id = $1 ORDER BY a.stopped_at DESC, a.email LIMIT $2`, orgID, limit)
}

// EmailChange is the address that a user wants to have.
type EmailChange struct {
	UserID, Email string
	ExpiresAt     api.Time
}

// PutEmailChange stores a wanted address with the hash of its link, in place of a former one.
func (w Writer) PutEmailChange(c EmailChange, hash string) error {
	return w.DB.Exec(`INSERT INTO email_changes (user_id, hash, email, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, email = excluded.email, expires_at = excluded.expires_at`,
		c.UserID, hash, c.Email, c.ExpiresAt.UnixMilli())
}

// EmailChange returns the change of the link with a hash that has not expired, or the error of no row.
func (q Reader) EmailChange(hash string, now api.Time) (EmailChange, error) {
	return sqldb.One(q.DB, func(r sqldb.Row) (c EmailChange, err error) {
		var at int64
		err = r.Scan(&c.UserID, &c.Email, &at)
		c.ExpiresAt = api.FromMillis(at)
		return c, err
	}, "SELECT user_id, email, expires_at FROM email_changes WHERE hash = $1 AND expires_at > $2", hash, now.UnixMilli())
}

// UseEmailChange deletes the change of a link. Of several transactions that use it, one finds it.
func (w Writer) UseEmailChange(missing error, hash string) error {
	return w.DB.ExecOne(missing, "DELETE FROM email_changes WHERE hash = $1", hash)
}

// SetEmail changes the address of a user. Links to a password that were mailed to the former one end.
func (w Writer) SetEmail(userID, email string) error {
	for _, table := range []string{"reset_links", "asked_reset_links", "email_changes"} {
		if err := w.DB.Exec("DELETE FROM "+table+" WHERE user_id = $1", userID); err != nil {
			return err
		}
	}
	return w.DB.Exec("UPDATE users SET email = $2 WHERE id = $1", userID, email)
}
