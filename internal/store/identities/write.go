// Package identities stores the OpenID providers of organisations, who their users are there, and the sessions that began
// at a provider. An identity is an issuer and a subject, never an e-mail address. Of a session that began at a provider
// the session itself is in package store; it takes its row here with it.
package identities

import (
	"encoding/json"
	"errors"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Writer changes providers and identities.
type Writer struct{ Reader }

// ErrUsed refuses what may be used once.
var ErrUsed = errors.New("identities: it was used before")

// PutProvider stores the provider of an organisation as its next version.
func (w Writer) PutProvider(p Provider) error {
	rules, err := json.Marshal(p.Rules)
	if err != nil {
		return err
	}
	return w.DB.Exec(`INSERT INTO providers (org_id, name, issuer, client_id, secret, domains, groups_claim, rules, passwords_off,
			tried_at, version) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (org_id) DO UPDATE SET name = $2, issuer = $3, client_id = $4, secret = $5, domains = $6,
			groups_claim = $7,
			rules = $8, passwords_off = $9, tried_at = $10, version = $11`,
		p.OrgID, p.Name, p.Issuer, p.ClientID, p.Sealed, strings.Join(p.Domains, " "), p.GroupsClaim, string(rules),
		sqldb.Flag(p.PasswordsOff),
		sqldb.Millis(p.TriedAt), p.Version+1)
}

// DeleteProvider deletes the provider of an organisation. The identities of its users stay.
func (w Writer) DeleteProvider(orgID string) error {
	return w.DB.Exec("DELETE FROM providers WHERE org_id = $1", orgID)
}

// Link stores an identity. A subject or a user that has one already is a violation of uniqueness.
func (w Writer) Link(i Identity) error {
	granted, err := json.Marshal(i.Granted)
	if err != nil {
		return err
	}
	return w.DB.Exec(`INSERT INTO identities (org_id, issuer, subject, user_id, email, granted, linked_at, confirmed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, i.OrgID, i.Issuer, i.Subject, i.UserID, i.Email, string(granted),
		i.LinkedAt.UnixMilli(), i.ConfirmedAt.UnixMilli())
}

// Confirm records that the provider has confirmed an identity, and what its groups have given.
func (w Writer) Confirm(i Identity) error {
	granted, err := json.Marshal(i.Granted)
	if err != nil {
		return err
	}
	return w.DB.Exec("UPDATE identities SET granted = $4, confirmed_at = $5 WHERE org_id = $1 AND issuer = $2 AND subject = $3",
		i.OrgID, i.Issuer, i.Subject, string(granted), i.ConfirmedAt.UnixMilli())
}

// Unlink deletes the identities of a user.
func (w Writer) Unlink(userID string) error {
	return w.DB.Exec("DELETE FROM identities WHERE user_id = $1", userID)
}

// InsertSession stores what is known of the provider of a new session.
func (w Writer) InsertSession(s Session) error {
	return w.DB.Exec(`INSERT INTO provider_sessions (session_id, org_id, issuer, subject, sid, refresh, due_at, confirmed_at, leased_until)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)`, s.ID, s.OrgID, s.Issuer, s.Subject, s.SID, s.Sealed, s.DueAt.UnixMilli(),
		s.ConfirmedAt.UnixMilli())
}

// EndSessions deletes the sessions of an organisation that began at its provider.
func (w Writer) EndSessions(orgID string) error {
	return w.DB.Exec("DELETE FROM sessions WHERE id IN (SELECT session_id FROM provider_sessions WHERE org_id = $1)",
		orgID)
}

// EndSessionsOf deletes the sessions of an identity.
func (w Writer) EndSessionsOf(i Identity) error {
	return w.DB.Exec(`DELETE FROM sessions WHERE id IN
		(SELECT session_id FROM provider_sessions WHERE org_id = $1 AND issuer = $2 AND subject = $3)`, i.OrgID, i.Issuer, i.Subject)
}

// LeaseRefresh leases the refresh of a session that is due, until a time. ok is false when it is not due, or another
// node refreshes it.
func (w Writer) LeaseRefresh(sessionID string, now, until api.Time) (ok bool, err error) {
	n, err := w.DB.ExecCount(`UPDATE provider_sessions SET leased_until = $3 WHERE session_id = $1 AND due_at <= $2 AND leased_until <= $2`,
		sessionID, now.UnixMilli(), until.UnixMilli())
	return n == 1, err
}

// Refreshed stores the result of a refresh and ends its lease.
func (w Writer) Refreshed(s Session) error {
	return w.DB.Exec(`UPDATE provider_sessions SET refresh = $2, due_at = $3, confirmed_at = $4, leased_until = 0 WHERE session_id = $1`,
		s.ID, s.Sealed, s.DueAt.UnixMilli(), s.ConfirmedAt.UnixMilli())
}

// UseOnce records the hash of what may be used once until a time. ErrUsed is one that was used.
func (w Writer) UseOnce(hash string, until api.Time) error {
	n, err := w.DB.ExecCount("INSERT INTO used_answers (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING", hash,
		until.UnixMilli())
	if err == nil && n == 0 {
		err = ErrUsed
	}
	return err
}

// DeleteExpired deletes at most limit hashes that expired before a time, and returns their number.
func (w Writer) DeleteExpired(now api.Time, limit int) (int, error) {
	n, err := w.DB.ExecCount(`DELETE FROM used_answers WHERE hash IN
		(SELECT hash FROM used_answers WHERE expires_at <= $1 ORDER BY hash LIMIT $2)`, now.UnixMilli(), limit)
	return int(n), err
}

// SetPasswordUntil lets a user sign in with the password until a time although the organisation has none.
func (w Writer) SetPasswordUntil(userID string, at api.Time) error {
	return w.DB.Exec("UPDATE users SET password_until = $2 WHERE id = $1", userID, at.UnixMilli())
}
