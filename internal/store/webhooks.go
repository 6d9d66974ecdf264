package store

import (
	"strings"

	"bugslice/api"
)

// Webhook is a stored webhook, with whom it acts for.
type Webhook struct {
	api.Webhook
	OrgID        string
	Grant        Grant
	FailingSince *api.Time // nil while messages are taken
	Version      int64
}

// Grant is whom a webhook acts for: the key, the user behind it unless it is a service's, and
// the scopes that the key had.
type Grant struct {
	KeyID, UserID *string
	Scopes        []api.Scope
}

// Standing is what has become of a grant.
type Standing struct {
	KeyRevoked, UserDisabled bool
	KeyExpiresAt             *api.Time
	Role                     api.Role // of the user in the webhook's workspace, empty when not a member
}

const webhookColumns = `w.id, w.org_id, w.workspace_id, w.url, w.description, w.event_types, w.enabled, w.disabled_reason, w.disabled_at,
	w.secret_last4, w.created_by_user, w.created_by_key, w.grant_user, w.grant_key, w.grant_scopes, w.failing_since, w.version, w.created_at, w.updated_at`

func scanWebhook(r row) (w Webhook, err error) {
	var types, scopes string
	var enabled, created, updated int64
	var disabled, failing *int64
	err = r.Scan(&w.ID, &w.OrgID, &w.WorkspaceID, &w.URL, &w.Description, &types, &enabled, &w.DisabledReason, &disabled,
		&w.SecretLast4, &w.Creator.UserID, &w.Creator.KeyID, &w.Grant.UserID, &w.Grant.KeyID, &scopes, &failing, &w.Version, &created, &updated)
	w.EventTypes, w.Enabled, w.Grant.Scopes = splitTypes(types), enabled == 1, splitScopes(scopes)
	w.DisabledAt, w.FailingSince, w.CreatedAt, w.UpdatedAt = timeAt(disabled), timeAt(failing), api.FromMillis(created), api.FromMillis(updated)
	return w, err
}

func splitTypes(text string) (all []api.Subscription) {
	for word := range strings.FieldsSeq(text) {
		all = append(all, api.Subscription(word))
	}
	return all
}

func joinTypes(all []api.Subscription) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, " ")
}

const webhookByID = "SELECT " + webhookColumns + " FROM webhooks w WHERE w.id = $1 AND w.deleted_at IS NULL"

// Webhook returns a webhook, whoever sees it.
func (q Queries) Webhook(id string) (Webhook, error) {
	return one(q.db, scanWebhook, webhookByID, id)
}

// LockWebhook is Webhook with a row lock.
func (tx *Tx) LockWebhook(id string) (Webhook, error) {
	return one(tx.db, scanWebhook, webhookByID+tx.db.engine.lockRow, id)
}

// Webhooks returns at most limit webhooks of the workspaces behind afterID.
func (q Queries) Webhooks(workspaces []string, afterID string, limit int) ([]Webhook, error) {
	if len(workspaces) == 0 {
		return nil, nil
	}
	var p params
	return list(q.db, scanWebhook, "SELECT "+webhookColumns+" FROM webhooks w WHERE w.workspace_id IN "+in(&p, workspaces)+
		" AND w.deleted_at IS NULL AND w.id > "+p.add(afterID)+" ORDER BY w.id LIMIT "+p.add(limit), p.args...)
}

// CountWebhooks returns how many webhooks a workspace has.
func (q Queries) CountWebhooks(workspaceID string) (int, error) {
	return one(q.db, scanOne[int], "SELECT count(*) FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL", workspaceID)
}

// InsertWebhook stores a new webhook.
func (tx *Tx) InsertWebhook(w *Webhook) error {
	w.Version = 1
	_, err := tx.db.exec(`INSERT INTO webhooks (id, org_id, workspace_id, url, description, event_types, enabled, disabled_reason, disabled_at,
			secret_last4, created_by_user, created_by_key, grant_user, grant_key, grant_scopes, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		w.ID, w.OrgID, w.WorkspaceID, w.URL, w.Description, joinTypes(w.EventTypes), flag(w.Enabled), w.DisabledReason, millis(w.DisabledAt),
		w.SecretLast4, w.Creator.UserID, w.Creator.KeyID, w.Grant.UserID, w.Grant.KeyID, joinScopes(w.Grant.Scopes), w.CreatedAt.UnixMilli(), w.UpdatedAt.UnixMilli())
	return err
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// UpdateWebhook stores w over the version it was read at, else ErrConflict. One that is enabled,
// or sends elsewhere, waits for no receiver's time any more.
func (tx *Tx) UpdateWebhook(w *Webhook) error {
	n, err := tx.db.exec(`UPDATE webhooks SET url = $3, description = $4, event_types = $5, enabled = $6, disabled_reason = $7, disabled_at = $8,
			secret_last4 = $9, grant_user = $10, grant_key = $11, grant_scopes = $12, failing_since = $13, updated_at = $14, version = version + 1,
			blocked_until = CASE WHEN url <> $3 OR enabled < $6 THEN 0 ELSE blocked_until END
		WHERE id = $1 AND version = $2`,
		w.ID, w.Version, w.URL, w.Description, joinTypes(w.EventTypes), flag(w.Enabled), w.DisabledReason, millis(w.DisabledAt),
		w.SecretLast4, w.Grant.UserID, w.Grant.KeyID, joinScopes(w.Grant.Scopes), millis(w.FailingSince), w.UpdatedAt.UnixMilli())
	if err == nil && n == 0 {
		err = ErrConflict
	}
	w.Version++
	return err
}

// DeleteWebhook ends a webhook and removes its secrets. What it sent goes with PurgeWebhooks.
func (tx *Tx) DeleteWebhook(id string, at api.Time) error {
	if _, err := tx.db.exec("DELETE FROM webhook_secrets WHERE webhook_id = $1", id); err != nil {
		return err
	}
	_, err := tx.db.exec("UPDATE webhooks SET enabled = 0, deleted_at = $2, version = version + 1 WHERE id = $1", id, at.UnixMilli())
	return err
}

// PurgeWebhooks removes up to limit deliveries of a deleted webhook, and the webhook behind the
// last of them. It returns how many rows it removed.
func (tx *Tx) PurgeWebhooks(limit int) (int, error) {
	gone, err := list(tx.db, scanOne[string], "SELECT id FROM webhooks WHERE deleted_at IS NOT NULL ORDER BY id LIMIT 1")
	if err != nil || len(gone) == 0 {
		return 0, err
	}
	n, err := tx.deleteDeliveries("DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE webhook_id = $1 LIMIT $2) RETURNING workspace_id", gone[0], limit)
	if err != nil || n == limit {
		return n, err
	}
	_, err = tx.db.exec("DELETE FROM webhooks WHERE id = $1", gone[0])
	return limit, err // there may be another one
}

// Standing returns what has become of whom a webhook acts for.
func (q Queries) Standing(workspaceID string, g Grant) (Standing, error) {
	return one(q.db, func(r row) (s Standing, err error) {
		var revoked, disabled, expires *int64
		var role *api.Role
		err = r.Scan(&revoked, &expires, &disabled, &role)
		s.KeyRevoked, s.UserDisabled, s.KeyExpiresAt = revoked != nil, disabled != nil, timeAt(expires)
		if role != nil {
			s.Role = *role
		}
		return s, err
	}, `SELECT k.revoked_at, k.expires_at, u.disabled_at, m.role FROM workspaces w LEFT JOIN api_keys k ON k.id = $2
		LEFT JOIN users u ON u.id = $3 LEFT JOIN memberships m ON m.user_id = $3 AND m.workspace_id = w.id WHERE w.id = $1`,
		workspaceID, g.KeyID, g.UserID)
}

// SetSubscriptions marks that the webhooks of a workspace have changed; 0 says there is none.
func (tx *Tx) SetSubscriptions(workspaceID string, mark int64) error {
	_, err := tx.db.exec("UPDATE workspaces SET subscriptions = $2 WHERE id = $1", workspaceID, mark)
	return err
}

// A webhook keeps the newest FormerSecrets of those that still sign beside the current one.
const FormerSecrets = 10

// WebhookSecret is an encrypted secret.
type WebhookSecret struct {
	ID, Sealed string
}

// InsertSecret gives a webhook a new current secret. The former one signs until grace, those
// before it until their own time.
func (tx *Tx) InsertSecret(webhookID string, s WebhookSecret, at, grace api.Time) error {
	now := at.UnixMilli()
	if _, err := tx.db.exec("UPDATE webhook_secrets SET expires_at = $2 WHERE webhook_id = $1 AND expires_at IS NULL", webhookID, grace.UnixMilli()); err != nil {
		return err
	}
	if _, err := tx.db.exec(`DELETE FROM webhook_secrets WHERE webhook_id = $1 AND (expires_at <= $2 OR id NOT IN
		(SELECT id FROM webhook_secrets WHERE webhook_id = $1 ORDER BY id DESC LIMIT $3))`, webhookID, now, FormerSecrets); err != nil {
		return err
	}
	_, err := tx.db.exec("INSERT INTO webhook_secrets (id, webhook_id, sealed, created_at) VALUES ($1, $2, $3, $4)", s.ID, webhookID, s.Sealed, now)
	return err
}

// SealedSecret is an encrypted secret of a webhook.
type SealedSecret struct {
	WebhookID string
	WebhookSecret
	Current bool // the newest of its webhook
}

// SealedSecrets returns every secret that signs at a time, in order of their webhooks.
func (q Queries) SealedSecrets(at api.Time) ([]SealedSecret, error) {
	return list(q.db, func(r row) (s SealedSecret, err error) {
		var expires *int64
		err = r.Scan(&s.WebhookID, &s.ID, &s.Sealed, &expires)
		s.Current = expires == nil
		return s, err
	}, "SELECT webhook_id, id, sealed, expires_at FROM webhook_secrets WHERE expires_at IS NULL OR expires_at > $1 ORDER BY webhook_id, id", at.UnixMilli())
}

// DeleteSecret removes a secret of a webhook.
func (tx *Tx) DeleteSecret(id string) error {
	_, err := tx.db.exec("DELETE FROM webhook_secrets WHERE id = $1", id)
	return err
}

// Secrets returns the secrets that sign at a time, the newest first.
func (q Queries) Secrets(webhookID string, at api.Time) ([]WebhookSecret, error) {
	return list(q.db, func(r row) (s WebhookSecret, err error) { return s, r.Scan(&s.ID, &s.Sealed) },
		"SELECT id, sealed FROM webhook_secrets WHERE webhook_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY id DESC", webhookID, at.UnixMilli())
}
