// Package mails stores the mails that wait, of which notices they are, and what users choose about them.
//
// A notice becomes a part of one mail: TakeTurn lets one transaction at a time make mails of the notices of a user. A mail is
// leased by its due time, so that another node sends it when one has died. Commit notes, under the lease, that a mail may
// arrive from now on: after two such attempts whose outcome nobody knows, Lease returns it no more.
package mails

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Reader reads mails and what users choose about them.
type Reader struct{ DB *sqldb.Executor }

// Writer changes them in a transaction.
type Writer struct{ Reader }

// Mail is a mail that waits, or that could not be sent.
type Mail struct {
	ID, Kind      string
	OrgID, UserID *string
	Address       string // empty for that of the user
	SubjectID     string // the record that it is about
	Sealed        string // the secret of its link
	CreatedAt     api.Time
	ExpiresAt     *api.Time
	Tries         int64 // attempts that the server has answered
	Unknown       int64 // attempts after which nobody knows whether the mail arrived
	FailedAt      *api.Time
	Error         string

	LeasedUntil api.Time
}

// MaxUnknown is the number of attempts with an unknown outcome after which a mail is not sent again.
const MaxUnknown = 2

const mailColumns = `m.id, m.kind, m.org_id, m.user_id, m.address, m.subject_id, m.sealed, m.created_at, m.expires_at, m.tries, m.unknown,
	m.failed_at, m.error, COALESCE(m.leased_until, 0)`

func scanMail(r sqldb.Row) (m Mail, err error) {
	var created, leased int64
	var expires, failed *int64
	err = r.Scan(&m.ID, &m.Kind, &m.OrgID, &m.UserID, &m.Address, &m.SubjectID, &m.Sealed, &created, &expires,
		&m.Tries, &m.Unknown,
		&failed, &m.Error, &leased)
	m.CreatedAt, m.LeasedUntil = api.FromMillis(created), api.FromMillis(leased)
	m.ExpiresAt, m.FailedAt = sqldb.TimeAt(expires), sqldb.TimeAt(failed)
	return m, err
}

// Insert stores a mail that is due at a time.
func (w Writer) Insert(m Mail, due api.Time) error {
	return w.DB.Exec(`INSERT INTO mails (id, kind, org_id, user_id, address, subject_id, sealed, created_at, due_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,
			$10)`, m.ID, m.Kind, m.OrgID, m.UserID, m.Address, m.SubjectID, m.Sealed,
		m.CreatedAt.UnixMilli(), due.UnixMilli(), sqldb.Millis(m.ExpiresAt))
}

// Due reports whether mails are to be made or sent.
func (q Reader) Due(now api.Time) (bool, error) {
	found, err := sqldb.List(q.DB, sqldb.ScanOne[int64],
		`SELECT due_at FROM (SELECT min(due_at) AS due_at FROM mail_turns
			WHERE due_at IS NOT NULL UNION ALL SELECT min(due_at) FROM mails WHERE failed_at IS NULL) AS d
		WHERE d.due_at <= $1`, now.UnixMilli())
	return len(found) > 0, err
}

// Lease leases at most limit mails that are due until a time.
func (w Writer) Lease(now, until api.Time, limit int) ([]Mail, error) {
	return sqldb.List(w.DB, scanMail,
		`UPDATE mails AS m SET leased_until = $2, due_at = $2 WHERE m.id IN (SELECT d.id FROM mails d
			WHERE d.failed_at IS NULL AND d.due_at <= $1 ORDER BY d.due_at, d.id LIMIT $3 `+w.DB.Engine.SkipLocked+`)
		RETURNING `+strings.ReplaceAll(mailColumns, "m.", ""), now.UnixMilli(), until.UnixMilli(), limit)
}

// ReleaseLeases ends all leases. It is for the only server on the database.
func (w Writer) ReleaseLeases(at api.Time) error {
	return w.DB.Exec("UPDATE mails SET leased_until = NULL, due_at = $1 WHERE leased_until IS NOT NULL AND failed_at IS NULL",
		at.UnixMilli())
}

// held is the condition that the lease of a mail has not ended.
const held = " WHERE id = $1 AND leased_until = $2"

// Commit notes that a leased mail may arrive from now on. It reports whether the lease is still that of the caller.
func (w Writer) Commit(m Mail) (bool, error) {
	n, err := w.DB.ExecCount("UPDATE mails SET unknown = unknown + 1"+held, m.ID, m.LeasedUntil.UnixMilli())
	return n > 0, err
}

// SetSealed stores the secret of the link of a leased mail.
func (w Writer) SetSealed(m Mail) error {
	return w.DB.Exec("UPDATE mails SET sealed = $3"+held, m.ID, m.LeasedUntil.UnixMilli(), m.Sealed)
}

// Return ends the lease of a mail that is due again at a time. Tries, Unknown and Error are stored.
func (w Writer) Return(m Mail, due api.Time) error {
	return w.DB.Exec("UPDATE mails SET leased_until = NULL, due_at = $3, tries = $4, unknown = $5, error = $6"+held,
		m.ID, m.LeasedUntil.UnixMilli(), due.UnixMilli(), m.Tries, m.Unknown, m.Error)
}

// Fail ends a leased mail that is not sent any more. It can be retried while its link works.
func (w Writer) Fail(m Mail, at api.Time) error {
	return w.DB.Exec("UPDATE mails SET leased_until = NULL, failed_at = $3, error = $4"+held, m.ID,
		m.LeasedUntil.UnixMilli(), at.UnixMilli(), m.Error)
}

// Retry makes a mail of an organisation due again that has failed, and reports whether there is one.
func (w Writer) Retry(orgID, id string, now api.Time) (bool, error) {
	n, err := w.DB.ExecCount(`UPDATE mails SET failed_at = NULL, due_at = $3, tries = 0, unknown = 0, created_at = $3
		WHERE id = $1 AND org_id = $2 AND failed_at IS NOT NULL AND (expires_at IS NULL OR expires_at > $3)`, id, orgID, now.UnixMilli())
	return n > 0, err
}

// Delete deletes a leased mail that was sent or is not wanted, with its notices.
func (w Writer) Delete(m Mail) error {
	n, err := w.DB.ExecCount("DELETE FROM mails"+held, m.ID, m.LeasedUntil.UnixMilli())
	if err != nil || n == 0 {
		return err
	}
	return w.DB.Exec("DELETE FROM mail_notices WHERE mail_id = $1", m.ID)
}

// Held reports whether the lease of a mail is still that of the caller.
func (q Reader) Held(m Mail) (bool, error) {
	found, err := sqldb.List(q.DB, sqldb.ScanOne[string], "SELECT id FROM mails"+held, m.ID, m.LeasedUntil.UnixMilli())
	return len(found) > 0, err
}

// DeleteOld deletes at most limit mails that failed before a time.
func (w Writer) DeleteOld(before api.Time, limit int) (int, error) {
	ids, err := sqldb.List(w.DB, sqldb.ScanOne[string],
		`DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE failed_at < $1
		ORDER BY failed_at LIMIT $2) RETURNING id`, before.UnixMilli(), limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	var p sqldb.Params
	return len(ids), w.DB.Exec("DELETE FROM mail_notices WHERE mail_id IN "+sqldb.In(&p, ids), p.Args...)
}

// DeleteAbout deletes the mails of a kind about a record.
func (w Writer) DeleteAbout(kind, subjectID string) error {
	return w.DB.Exec("DELETE FROM mails WHERE kind = $1 AND subject_id = $2", kind, subjectID)
}

// DeleteUser deletes the mails to a user and to an address of the user, and what the user has chosen about them.
func (w Writer) DeleteUser(userID, email string) error {
	for _, table := range []string{"mail_notices", "mail_turns", "mail_settings", "email_changes", "mails"} {
		if err := w.DB.Exec("DELETE FROM "+table+" WHERE user_id = $1", userID); err != nil {
			return err
		}
	}
	if err := w.DB.Exec("DELETE FROM mails WHERE address = $1", email); err != nil {
		return err
	}
	return w.DB.Exec("DELETE FROM stopped_addresses WHERE email = $1", email)
}

// Backlog is the mails that wait.
type Backlog struct {
	Waiting int64
	Failed  int64
	Oldest  *api.Time // since when the oldest waits after its time
	Error   string    // of the mail that was tried last, of those that wait
}

// Backlog returns that of an organisation, or of all with an empty id.
func (q Reader) Backlog(orgID string, now api.Time) (b Backlog, err error) {
	b, err = sqldb.One(q.DB, func(r sqldb.Row) (b Backlog, err error) {
		var oldest *int64
		err = r.Scan(&b.Waiting, &b.Failed, &oldest)
		b.Oldest = sqldb.TimeAt(oldest)
		return b, err
	}, `SELECT COALESCE(sum(CASE WHEN failed_at IS NULL THEN 1 ELSE 0 END), 0),
			COALESCE(sum(CASE WHEN failed_at IS NULL THEN 0 ELSE 1 END), 0),
			min(CASE WHEN failed_at IS NULL AND created_at <= $2 THEN created_at END)
		FROM mails WHERE $1 = '' OR org_id = $1`, orgID, now.UnixMilli())
	if err != nil || b.Waiting == 0 {
		return b, err
	}
	errors, err := sqldb.List(q.DB, sqldb.ScanOne[string],
		`SELECT error FROM mails WHERE failed_at IS NULL AND error <> ''
		AND ($1 = '' OR org_id = $1) ORDER BY due_at DESC LIMIT 1`, orgID)
	if len(errors) > 0 {
		b.Error = errors[0]
	}
	return b, err
}

// Failed returns at most limit mails of an organisation that have failed, the last ones first. Their addresses are those of
// their users when they have none of their own.
func (q Reader) Failed(orgID string, limit int) ([]Mail, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (m Mail, err error) {
		var failed int64
		err = r.Scan(&m.ID, &m.Kind, &m.Address, &m.Error, &failed)
		m.FailedAt = new(api.FromMillis(failed))
		return m, err
	}, `SELECT m.id, m.kind, CASE WHEN m.address = '' THEN COALESCE(u.email, '') ELSE m.address END, m.error, m.failed_at
		FROM mails m LEFT JOIN users u ON u.id = m.user_id
		WHERE m.org_id = $1 AND m.failed_at IS NOT NULL ORDER BY m.failed_at DESC, m.id DESC LIMIT $2`, orgID, limit)
}
