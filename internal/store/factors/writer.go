package factors

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// MaxAttempts is the number of attempts to prove the second factor of one sign-in.
const MaxAttempts = 5

// MaxPending is the number of sign-ins of a user that may wait for the second factor at once.
const MaxPending = 20

// Writer changes factors.
type Writer struct{ Reader }

// PutAuthenticator stores the authenticator app of a user, in place of the former one.
func (w Writer) PutAuthenticator(userID string, a Authenticator) error {
	return w.DB.Exec(`INSERT INTO authenticators (user_id, sealed, used_step, failed, created_at) VALUES ($1, $2, $3, 0, $4)
		ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, used_step = excluded.used_step, failed = 0,
			created_at = excluded.created_at`, userID, a.Sealed, a.UsedStep, a.CreatedAt.UnixMilli())
}

// UseStep uses the code of a step.
func (w Writer) UseStep(userID string, step int64) error {
	return w.DB.ExecOne(sqldb.ErrNotFound,
		"UPDATE authenticators SET used_step = $2, failed = 0 WHERE user_id = $1 AND used_step < $2", userID, step)
}

// CountFailure counts a wrong code.
func (w Writer) CountFailure(userID string) error {
	return w.DB.Exec("UPDATE authenticators SET failed = failed + 1 WHERE user_id = $1", userID)
}

// RemoveAuthenticator removes the authenticator app of a user.
func (w Writer) RemoveAuthenticator(userID string) error {
	return w.DB.ExecOne(sqldb.ErrNotFound, "DELETE FROM authenticators WHERE user_id = $1", userID)
}

// AddPasskey stores a new passkey.
func (w Writer) AddPasskey(p Passkey) error {
	return w.DB.Exec(`INSERT INTO passkeys (id, user_id, credential, record, name, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		p.ID, p.UserID, p.Credential, p.Record, p.Name, p.CreatedAt.UnixMilli())
}

// UsePasskey stores the use of a passkey, whose record must be the former one.
func (w Writer) UsePasskey(p Passkey, record string, at api.Time) error {
	return w.DB.ExecOne(sqldb.ErrNotFound,
		"UPDATE passkeys SET record = $3, last_used_at = $4 WHERE id = $1 AND record = $2",
		p.ID, p.Record, record, at.UnixMilli())
}

// RenamePasskey sets the name of a passkey of a user.
func (w Writer) RenamePasskey(userID, id, name string) error {
	return w.DB.ExecOne(sqldb.ErrNotFound, "UPDATE passkeys SET name = $3 WHERE user_id = $1 AND id = $2", userID, id, name)
}

// RemovePasskey removes a passkey of a user.
func (w Writer) RemovePasskey(userID, id string) error {
	return w.DB.ExecOne(sqldb.ErrNotFound, "DELETE FROM passkeys WHERE user_id = $1 AND id = $2", userID, id)
}

// ReplaceRecoveryCodes stores the hashes of new recovery codes, in place of the former ones.
func (w Writer) ReplaceRecoveryCodes(userID string, hashes []string) error {
	if err := w.DB.Exec("DELETE FROM recovery_codes WHERE user_id = $1", userID); err != nil {
		return err
	}
	for _, hash := range hashes {
		if err := w.DB.Exec("INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)", userID, hash); err != nil {
			return err
		}
	}
	return nil
}

// UseRecoveryCode uses a recovery code.
func (w Writer) UseRecoveryCode(userID, hash string, at api.Time) error {
	return w.DB.ExecOne(sqldb.ErrNotFound,
		"UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND hash = $2 AND used_at IS NULL", userID, hash,
		at.UnixMilli())
}

// RemoveAll removes every factor of a user but the password, and the sign-ins that wait for one.
func (w Writer) RemoveAll(userID string) error {
	for _, text := range []string{"DELETE FROM authenticators WHERE user_id = $1",
		"DELETE FROM passkeys WHERE user_id = $1",
		"DELETE FROM recovery_codes WHERE user_id = $1", "DELETE FROM pending_sign_ins WHERE user_id = $1",
		"DELETE FROM removed_factors WHERE user_id = $1"} {
		if err := w.DB.Exec(text, userID); err != nil {
			return err
		}
	}
	return nil
}

// NoteRemoval stores that somebody else has removed the factors of a user.
func (w Writer) NoteRemoval(userID string, at api.Time) error {
	return w.DB.Exec(`INSERT INTO removed_factors (user_id, removed_at) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET removed_at = excluded.removed_at`, userID, at.UnixMilli())
}

// TakeRemoval reports whether somebody else has removed the factors of a user since the user was told of it.
func (w Writer) TakeRemoval(userID string) (bool, error) {
	n, err := w.DB.ExecCount("DELETE FROM removed_factors WHERE user_id = $1", userID)
	return n > 0, err
}

// AddPending stores a sign-in that waits for the second factor. It deletes those of the user that were not finished for
// the longest time, down to MaxPending.
func (w Writer) AddPending(p Pending, hash string) error {
	err := w.DB.Exec("INSERT INTO pending_sign_ins (hash, user_id, epoch, attempts, expires_at, provider) VALUES ($1, $2, $3, 0, $4, $5)",
		hash, p.UserID, p.Epoch, p.ExpiresAt.UnixMilli(), p.Provider)
	if err != nil {
		return err
	}
	return w.DB.Exec(`DELETE FROM pending_sign_ins WHERE user_id = $1 AND hash NOT IN
		(SELECT hash FROM pending_sign_ins WHERE user_id = $1 ORDER BY expires_at DESC, hash LIMIT $2)`, p.UserID, MaxPending)
}

// CountAttempt counts an attempt of a sign-in, of which MaxAttempts are found.
func (w Writer) CountAttempt(hash string, now api.Time) error {
	return w.DB.ExecOne(sqldb.ErrNotFound, `UPDATE pending_sign_ins SET attempts = attempts + 1
		WHERE hash = $1 AND expires_at > $2 AND attempts < $3`, hash, now.UnixMilli(), MaxAttempts)
}

// FinishPending deletes a sign-in, whose second factor was proved.
func (w Writer) FinishPending(hash string) error {
	return w.DB.ExecOne(sqldb.ErrNotFound, "DELETE FROM pending_sign_ins WHERE hash = $1", hash)
}

// AnswerChallenge stores that a passkey has answered a question, until it expires.
func (w Writer) AnswerChallenge(hash string, expires api.Time) error {
	return w.DB.ExecOne(sqldb.ErrNotFound, `INSERT INTO answered_challenges (hash, expires_at) VALUES ($1, $2)
		ON CONFLICT (hash) DO NOTHING`, hash, expires.UnixMilli())
}

// DeleteExpired deletes at most limit sign-ins, and as many questions, that have expired.
func (w Writer) DeleteExpired(now api.Time, limit int) (int, error) {
	pending, err := w.DB.ExecCount(`DELETE FROM pending_sign_ins WHERE hash IN
		(SELECT hash FROM pending_sign_ins WHERE expires_at <= $1 ORDER BY hash LIMIT $2)`, now.UnixMilli(), limit)
	if err != nil {
		return 0, err
	}
	answered, err := w.DB.ExecCount(`DELETE FROM answered_challenges WHERE hash IN
		(SELECT hash FROM answered_challenges WHERE expires_at <= $1 ORDER BY hash LIMIT $2)`, now.UnixMilli(), limit)
	return int(max(pending, answered)), err
}

// ProveSession stores that a second factor was proved in a session.
func (w Writer) ProveSession(sessionID, by string) error {
	return w.DB.ExecOne(sqldb.ErrNotFound, "UPDATE sessions SET second_factor = $2 WHERE id = $1", sessionID, by)
}
