// Package factors stores the factors by which users prove who they are, beside their passwords, and the sign-ins of
// which the second factor is not proved yet. What may be used once is used by a conditional statement: of several
// transactions that use it, one finds it, and the others get sqldb.ErrNotFound.
package factors

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Authenticator is the authenticator app of a user.
type Authenticator struct {
	Sealed    string // the encrypted key
	UsedStep  int64  // the last step of which a code was used
	Failed    int64  // wrong codes since the last right one
	CreatedAt api.Time
}

// Passkey is a passkey of a user.
type Passkey struct {
	ID, UserID string
	Credential string // the id by which browsers name it
	Record     string
	Name       string
	CreatedAt  api.Time
	LastUsedAt *api.Time
}

// Counts are the factors that a user has.
type Counts struct{ Authenticators, Passkeys, RecoveryCodes int }

// HasSecond reports whether a user has a second factor. Recovery codes replace one, and are none.
func (c Counts) HasSecond() bool { return c.Authenticators+c.Passkeys > 0 }

// Pending is a sign-in of which the second factor is not proved yet.
type Pending struct {
	UserID    string
	Epoch     int64 // of the user, when the first factor was proved
	ExpiresAt api.Time
	Provider  string // who the provider of the organisation has confirmed, sealed; empty when the factor was proved here
}

// Reader reads factors.
type Reader struct{ DB *sqldb.Executor }

// Authenticator returns the authenticator app of a user, or the error of no row.
func (q Reader) Authenticator(userID string) (Authenticator, error) {
	return sqldb.One(q.DB, func(r sqldb.Row) (a Authenticator, err error) {
		var created int64
		err = r.Scan(&a.Sealed, &a.UsedStep, &a.Failed, &created)
		a.CreatedAt = api.FromMillis(created)
		return a, err
	}, "SELECT sealed, used_step, failed, created_at FROM authenticators WHERE user_id = $1", userID)
}

// Passkeys returns the passkeys of a user, oldest first.
func (q Reader) Passkeys(userID string) ([]Passkey, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (p Passkey, err error) {
		var created int64
		var used *int64
		err = r.Scan(&p.ID, &p.UserID, &p.Credential, &p.Record, &p.Name, &created, &used)
		p.CreatedAt = api.FromMillis(created)
		if used != nil {
			at := api.FromMillis(*used)
			p.LastUsedAt = &at
		}
		return p, err
	}, "SELECT id, user_id, credential, record, name, created_at, last_used_at FROM passkeys WHERE user_id = $1 ORDER BY id",
		userID)
}

// Counts counts the factors of a user. Used recovery codes do not count.
func (q Reader) Counts(userID string) (Counts, error) {
	return sqldb.One(q.DB, func(r sqldb.Row) (c Counts, err error) {
		return c, r.Scan(&c.Authenticators, &c.Passkeys, &c.RecoveryCodes)
	}, `SELECT (SELECT count(*) FROM authenticators WHERE user_id = $1), (SELECT count(*) FROM passkeys WHERE user_id = $1),
		(SELECT count(*) FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL)`, userID)
}

// HasRecoveryCode reports whether a user has a recovery code that was not used.
func (q Reader) HasRecoveryCode(userID, hash string) (bool, error) {
	n, err := sqldb.One(q.DB, sqldb.ScanOne[int],
		"SELECT count(*) FROM recovery_codes WHERE user_id = $1 AND hash = $2 AND used_at IS NULL", userID, hash)
	return n > 0, err
}

// Pending returns the sign-in of the token with a hash that has not expired and may be attempted again, or the error of
// no row.
func (q Reader) Pending(hash string, now api.Time) (Pending, error) {
	return sqldb.One(q.DB, scanPending, `SELECT user_id, epoch, expires_at, provider FROM pending_sign_ins
		WHERE hash = $1 AND expires_at > $2 AND attempts < $3`, hash, now.UnixMilli(), MaxAttempts)
}

func scanPending(r sqldb.Row) (p Pending, err error) {
	var expires int64
	err = r.Scan(&p.UserID, &p.Epoch, &expires, &p.Provider)
	p.ExpiresAt = api.FromMillis(expires)
	return p, err
}

// Required reports whether sessions of an organisation need a second factor.
func (q Reader) Required(orgID string) (bool, error) {
	n, err := sqldb.One(q.DB, sqldb.ScanOne[int64],
		"SELECT second_factor_required FROM organizations WHERE id = $1", orgID)
	return n == 1, err
}

// CountWithout counts the users of an organisation who are not disabled, and those of them without a second factor.
func (q Reader) CountWithout(orgID string) (users, without int64, err error) {
	type counts struct{ users, without int64 }
	n, err := sqldb.One(q.DB, func(r sqldb.Row) (n counts, err error) { return n, r.Scan(&n.users, &n.without) },
		`SELECT count(*), count(CASE WHEN NOT EXISTS (SELECT 1 FROM authenticators a WHERE a.user_id = u.id)
			AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id) THEN 1 END)
		FROM users u WHERE u.org_id = $1 AND u.disabled_at IS NULL`, orgID)
	return n.users, n.without, err
}
