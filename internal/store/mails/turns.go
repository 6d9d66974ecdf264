package mails

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Item is a notice of which a user is told by mail. Unread says whether it is still news.
type Item struct {
	NoticeID, UserID string
	SliceID          *string
	Reason           api.NoticeReason
	Digest           bool
	DueAt            api.Time
	Unread           bool
}

// Queue stores notices of which users are told by mail, and when.
func (w Writer) Queue(all []Item) error {
	due := map[string]int64{}
	rows := make([][]any, len(all))
	for i, n := range all {
		at := n.DueAt.UnixMilli()
		rows[i] = []any{n.NoticeID, n.UserID, sqldb.Flag(n.Digest), at}
		if first, ok := due[n.UserID]; !ok || at < first {
			due[n.UserID] = at
		}
	}
	_, err := w.DB.Insert("mail_notices", "notice_id TEXT, user_id TEXT, digest BIGINT, due_at BIGINT", rows,
		"ON CONFLICT (notice_id) DO NOTHING")
	if err != nil {
		return err
	}
	turns := make([][]any, 0, len(due))
	for _, userID := range sorted(due) {
		turns = append(turns, []any{userID, due[userID], 0, 0})
	}
	_, err = w.DB.Insert("mail_turns", "user_id TEXT, due_at BIGINT, window_at BIGINT, window_mails BIGINT", turns,
		`ON CONFLICT (user_id) DO UPDATE SET due_at = CASE WHEN mail_turns.due_at <= excluded.due_at THEN mail_turns.due_at
			ELSE excluded.due_at END`)
	return err
}

// Turn is when mails are made of the notices of a user next, and how many were made since a time.
type Turn struct {
	UserID      string
	DueAt       api.Time
	WindowAt    api.Time
	WindowMails int64
}

// DueTurns returns at most limit turns that are due.
func (q Reader) DueTurns(now api.Time, limit int) ([]Turn, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (t Turn, err error) {
		var due int64
		err = r.Scan(&t.UserID, &due)
		t.DueAt = api.FromMillis(due)
		return t, err
	}, "SELECT user_id, due_at FROM mail_turns WHERE due_at <= $1 ORDER BY due_at LIMIT $2", now.UnixMilli(), limit)
}

// TakeTurn locks the turn of a user until the transaction ends, and reports whether it is still due at the time that it had.
func (w Writer) TakeTurn(t *Turn) (bool, error) {
	found, err := sqldb.List(w.DB, func(r sqldb.Row) (Turn, error) {
		var at int64
		one := *t
		err := r.Scan(&at, &one.WindowMails)
		one.WindowAt = api.FromMillis(at)
		return one, err
	}, "UPDATE mail_turns SET due_at = NULL WHERE user_id = $1 AND due_at = $2 RETURNING window_at, window_mails", t.UserID,
		t.DueAt.UnixMilli())
	if err != nil || len(found) == 0 {
		return false, err
	}
	*t = found[0]
	return true, nil
}

// LockTurn locks the turn of a user, if there is one, until the transaction ends.
func (w Writer) LockTurn(userID string) error {
	return w.DB.Exec("UPDATE mail_turns SET window_mails = window_mails WHERE user_id = $1", userID)
}

// EndTurn stores a turn, which is due when the first of the notices is that wait, and not before a time.
func (w Writer) EndTurn(t Turn, notBefore api.Time) error {
	return w.DB.Exec(`UPDATE mail_turns SET window_at = $2, window_mails = $3, due_at = (SELECT CASE WHEN min(n.due_at) < $4 THEN $4
			ELSE min(n.due_at) END FROM mail_notices n WHERE n.user_id = $1 AND n.mail_id IS NULL) WHERE user_id = $1`,
		t.UserID, t.WindowAt.UnixMilli(), t.WindowMails, notBefore.UnixMilli())
}

// Waiting returns the notices of a user that are in no mail, oldest first.
func (q Reader) Waiting(userID string) ([]Item, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (n Item, err error) {
		var digest, due, unread int64
		err = r.Scan(&n.NoticeID, &n.UserID, &digest, &due, &n.SliceID, &n.Reason, &unread)
		n.Digest, n.DueAt, n.Unread = digest == 1, api.FromMillis(due), unread == 1
		return n, err
	}, `SELECT w.notice_id, w.user_id, w.digest, w.due_at, n.slice_id, COALESCE(n.reason, ''),
			CASE WHEN n.id IS NOT NULL AND n.read_at IS NULL AND n.done_at IS NULL AND n.snoozed_until IS NULL THEN 1 ELSE 0 END
		FROM mail_notices w LEFT JOIN notices n ON n.id = w.notice_id
		WHERE w.user_id = $1 AND w.mail_id IS NULL ORDER BY w.notice_id`, userID)
}

// Assign makes notices parts of a mail.
func (w Writer) Assign(mailID string, noticeIDs []string) error {
	p := sqldb.Params{Args: []any{mailID}}
	return w.DB.Exec("UPDATE mail_notices SET mail_id = $1 WHERE notice_id IN "+sqldb.In(&p, noticeIDs), p.Args...)
}

// Drop deletes notices of which no mail tells.
func (w Writer) Drop(noticeIDs []string) error {
	if len(noticeIDs) == 0 {
		return nil
	}
	var p sqldb.Params
	return w.DB.Exec("DELETE FROM mail_notices WHERE notice_id IN "+sqldb.In(&p, noticeIDs), p.Args...)
}

// Reschedule stores when and how a notice is told that is in no mail.
func (w Writer) Reschedule(n Item) error {
	return w.DB.Exec("UPDATE mail_notices SET digest = $2, due_at = $3 WHERE notice_id = $1 AND mail_id IS NULL",
		n.NoticeID,
		sqldb.Flag(n.Digest), n.DueAt.UnixMilli())
}

// NoticesOf returns the notices of a mail.
func (q Reader) NoticesOf(mailID string) ([]string, error) {
	return sqldb.List(q.DB, sqldb.ScanOne[string],
		"SELECT notice_id FROM mail_notices WHERE mail_id = $1 ORDER BY notice_id", mailID)
}
