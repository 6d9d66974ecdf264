package store

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/policy"
	"bugslice/internal/store/identities"
	"bugslice/internal/store/policies"
	"bugslice/internal/store/sqldb"
)

// Session is a browser in which a user has signed in.
type Session struct {
	ID, UserID    string
	Epoch         int64 // of the user, when the session was created or rotated
	CreatedAt     api.Time
	LastUsedAt    api.Time
	ProvedAt      api.Time // when the password was proved last
	UserAgent     string
	ClientAddress string
	SecondFactor  string    // that was proved; empty for none
	EndsAt        *api.Time // in any case; nil for the limits of sessions alone
}

const sessionColumns = `s.id, s.user_id, s.epoch, s.created_at, s.last_used_at, s.proved_at, s.user_agent, s.client_address,
	s.second_factor, s.ends_at`

type sessionRow struct {
	session               Session
	created, used, proved int64
	ends                  *int64
}

func (r *sessionRow) targets() []any {
	s := &r.session
	return []any{&s.ID, &s.UserID, &s.Epoch, &r.created, &r.used, &r.proved, &s.UserAgent, &s.ClientAddress,
		&s.SecondFactor, &r.ends}
}

func (r *sessionRow) decode() Session {
	s := &r.session
	s.CreatedAt, s.LastUsedAt, s.ProvedAt = api.FromMillis(r.created), api.FromMillis(r.used), api.FromMillis(r.proved)
	s.EndsAt = sqldb.TimeAt(r.ends)
	return *s
}

// SessionCredential is a session with its user.
type SessionCredential struct {
	Session
	User            User
	OrgName         string
	Policy          *policy.Policy
	PasswordsOff    bool      // whether the organisation signs in at its provider alone
	RefreshAt       *api.Time // when to ask the provider again; nil for a session that did not begin at one
	WithoutProvider bool      // whether it did not begin at the provider where alone the organisation signs in
}

// selectCredentials reads sessions with the hashes of their tokens.
const selectCredentials = "SELECT s.hash, " + sessionColumns + ", " + userColumns + ", " + policies.Columns + `, o.name,
		(SELECT x.due_at FROM provider_sessions x WHERE x.session_id = s.id),
		CASE WHEN ` + identities.WithoutProvider + ` THEN 1 ELSE 0 END,
		(SELECT count(*) FROM providers p WHERE p.org_id = u.org_id AND p.passwords_off = 1)
	FROM sessions s JOIN users u ON u.id = s.user_id JOIN organizations o ON o.id = u.org_id `

func scanCredential(r sqldb.Row) (hash string, c SessionCredential, err error) {
	var s sessionRow
	var u userRow
	var p policies.Row
	var without, off int64
	var due *int64
	err = r.Scan(slices.Concat([]any{&hash}, s.targets(), u.targets(), p.Targets(), []any{&c.OrgName, &due, &without, &off})...)
	c.Session, c.User, c.Policy, c.RefreshAt = s.decode(), u.decode(), p.Decode(), sqldb.TimeAt(due)
	c.WithoutProvider, c.PasswordsOff = without == 1, off == 1
	return hash, c, err
}

// SessionCredential returns the session of the token with a hash, valid or not.
func (q Queries) SessionCredential(hash string) (SessionCredential, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (SessionCredential, error) {
		_, c, err := scanCredential(r)
		return c, err
	}, selectCredentials+"WHERE s.hash = $1", hash)
}

// SessionCredentials returns the sessions of the tokens with these hashes, valid or not, by hash.
func (q Queries) SessionCredentials(hashes []string) (map[string]SessionCredential, error) {
	var p sqldb.Params
	all := make(map[string]SessionCredential, len(hashes))
	_, err := sqldb.List(q.db, func(r sqldb.Row) (SessionCredential, error) {
		hash, c, err := scanCredential(r)
		all[hash] = c
		return c, err
	}, selectCredentials+"WHERE s.hash IN "+sqldb.In(&p, hashes), p.Args...)
	return all, err
}

// Sessions returns the sessions of a user with the epoch of the user, by last use, newest first.
func (q Queries) Sessions(userID string) ([]Session, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (Session, error) {
		var s sessionRow
		err := r.Scan(s.targets()...)
		return s.decode(), err
	}, "SELECT "+sessionColumns+` FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.user_id = $1 AND s.epoch = u.session_epoch ORDER BY s.last_used_at DESC, s.id`, userID)
}

// MaxSessions is the maximum of sessions of a user.
const MaxSessions = 100

// InsertSession stores a new session with the hash of its token and the epoch of its user. It deletes the sessions of
// the user that were not used for the longest time, down to MaxSessions.
func (tx *Tx) InsertSession(s Session, hash string) error {
	err := tx.db.Exec(`INSERT INTO sessions (id, user_id, hash, epoch, created_at, last_used_at, proved_at, user_agent, client_address,
			second_factor, ends_at)
		SELECT $1, u.id, $3, u.session_epoch, $4, $5, $6, $7, $8, $9, $10 FROM users u WHERE u.id = $2`,
		s.ID, s.UserID, hash, s.CreatedAt.UnixMilli(), s.LastUsedAt.UnixMilli(), s.ProvedAt.UnixMilli(), s.UserAgent,
		s.ClientAddress, s.SecondFactor, sqldb.Millis(s.EndsAt))
	if err != nil {
		return err
	}
	return tx.db.Exec(`DELETE FROM sessions WHERE user_id = $1 AND id NOT IN
		(SELECT id FROM sessions WHERE user_id = $1 ORDER BY last_used_at DESC, id DESC LIMIT $2)`, s.UserID, MaxSessions)
}

// RotateSession gives a session another token, after a proof of the password; ErrNotFound for a session that has ended.
func (tx *Tx) RotateSession(sessionID, hash string, provedAt api.Time) error {
	return tx.db.ExecOne(ErrNotFound, `UPDATE sessions SET hash = $2, proved_at = $3,
		epoch = (SELECT session_epoch FROM users WHERE id = sessions.user_id) WHERE id = $1`, sessionID, hash, provedAt.UnixMilli())
}

// DeleteSession deletes a session of a user; ErrNotFound when the user has no such session.
func (tx *Tx) DeleteSession(userID, sessionID string) error {
	return tx.db.ExecOne(ErrNotFound, "DELETE FROM sessions WHERE user_id = $1 AND id = $2", userID, sessionID)
}

// DeleteOtherSessions deletes the sessions of a user but one.
func (tx *Tx) DeleteOtherSessions(userID, sessionID string) error {
	return tx.db.Exec("DELETE FROM sessions WHERE user_id = $1 AND id <> $2", userID, sessionID)
}

// DeleteExpiredSessions deletes at most limit sessions that were created or used last before a time, and returns the
// number of deleted ones.
func (tx *Tx) DeleteExpiredSessions(created, used api.Time, limit int) (int, error) {
	n, err := tx.db.ExecCount(`DELETE FROM sessions WHERE id IN
		(SELECT id FROM sessions WHERE created_at <= $1 OR last_used_at <= $2 ORDER BY id LIMIT $3)`,
		created.UnixMilli(), used.UnixMilli(), limit)
	return int(n), err
}

// RecordSessionUse records the use of a session.
func (tx *Tx) RecordSessionUse(sessionID string, at api.Time) error {
	return tx.db.Exec("UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2", sessionID,
		at.UnixMilli())
}

// LockSession locks the session of a token, and its user, against changes until the transaction ends. The user is
// locked first, exclusively when the transaction changes it, because changes of a user delete sessions. On SQLite,
// where writes are serial, it locks nothing.
func (tx *Tx) LockSession(hash string, exclusive bool) error {
	if tx.db.Engine.LockRow == "" {
		return nil
	}
	lock := tx.db.Engine.LockShare
	if exclusive {
		lock = tx.db.Engine.LockRow
	}
	_, err := sqldb.List(tx.db, sqldb.ScanOne[string],
		"SELECT u.id FROM users u WHERE u.id = (SELECT user_id FROM sessions WHERE hash = $1)"+lock, hash)
	if err != nil {
		return err
	}
	_, err = sqldb.List(tx.db, sqldb.ScanOne[string], "SELECT id FROM sessions WHERE hash = $1"+tx.db.Engine.LockRow,
		hash)
	return err
}

// SessionValid reports whether the session of a token has not ended, its organisation has the version of its policy that was
// read, and each of the memberships is unchanged. The session must have been created and used later than after. On
// SQLite, where writes are serial, they cannot have changed since the transaction began.
func (tx *Tx) SessionValid(hash string, after Session, policyVersion int64, memberships []Membership) (bool, error) {
	if tx.db.Engine.LockRow == "" {
		return true, nil
	}
	p := sqldb.Params{Args: []any{hash, after.CreatedAt.UnixMilli(), after.LastUsedAt.UnixMilli(), policyVersion}}
	text := `SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id JOIN organizations o ON o.id = u.org_id
		WHERE s.hash = $1 AND o.policy_version = $4 AND s.created_at > $2 AND s.last_used_at > $3
		AND s.epoch = u.session_epoch AND u.disabled_at IS NULL
		AND NOT ` + identities.WithoutProvider + unchanged(&p, memberships)
	n, err := sqldb.One(tx.db, sqldb.ScanOne[int], text, p.Args...)
	return n == 1, err
}

// unchanged returns the condition that each of the memberships is as it was read.
func unchanged(p *sqldb.Params, memberships []Membership) (text string) {
	for _, m := range slices.Compact(memberships) {
		text += " AND EXISTS (SELECT 1 FROM memberships WHERE workspace_id = " + p.Add(m.WorkspaceID) +
			" AND user_id = " + p.Add(m.UserID) + " AND role = " + p.Add(string(m.Role)) + ")"
	}
	return text
}
