package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// formerSecrets is the maximum of secrets of a webhook in their grace period.
const formerSecrets = 10

// WebhookSecret is an encrypted secret.
type WebhookSecret struct {
	ID, Sealed string
}

// InsertSecret replaces the secret of a webhook. The replaced secret signs as well until grace, earlier ones until the
// end of their own grace period.
func (tx *Tx) InsertSecret(webhookID string, s WebhookSecret, at, grace api.Time) error {
	now := at.UnixMilli()
	err := tx.db.Exec("UPDATE webhook_secrets SET expires_at = $2 WHERE webhook_id = $1 AND expires_at IS NULL",
		webhookID, grace.UnixMilli())
	if err != nil {
		return err
	}
	if err := tx.db.Exec(`DELETE FROM webhook_secrets WHERE webhook_id = $1 AND (expires_at <= $2 OR id NOT IN
		(SELECT id FROM webhook_secrets WHERE webhook_id = $1 ORDER BY id DESC LIMIT $3))`, webhookID, now, formerSecrets); err != nil {
		return err
	}
	return tx.db.Exec("INSERT INTO webhook_secrets (id, webhook_id, sealed, created_at) VALUES ($1, $2, $3, $4)",
		s.ID, webhookID, s.Sealed, now)
}

// DeleteSecret deletes a secret of a webhook.
func (tx *Tx) DeleteSecret(id string) error {
	return tx.db.Exec("DELETE FROM webhook_secrets WHERE id = $1", id)
}

// Secrets returns the secrets of a webhook that sign at a time, the newest first.
func (q Queries) Secrets(webhookID string, at api.Time) ([]WebhookSecret, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (s WebhookSecret, err error) { return s, r.Scan(&s.ID, &s.Sealed) },
		`SELECT id, sealed FROM webhook_secrets WHERE webhook_id = $1 AND (expires_at IS NULL OR expires_at > $2)
		ORDER BY id DESC`, webhookID, at.UnixMilli())
}
