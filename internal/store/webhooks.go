package store

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/store/policies"
	"bugslice/internal/store/sqldb"
)

// Webhook is a stored webhook with its grant.
type Webhook struct {
	api.Webhook
	OrgID string
	Grant Grant
}

// Grant is the authority of a webhook: a key, the key's user unless the key is a service's, and the scopes that the
// key had.
type Grant struct {
	KeyID, UserID *string
	Scopes        []api.Scope
}

// GrantStatus is the present state of a grant, as the policy of the organisation leaves it.
type GrantStatus struct {
	KeyRevoked, UserDisabled bool
	KeyExpiresAt             *api.Time
	Scopes                   []api.Scope
	Role                     api.Role // of the user in the webhook's workspace; empty for a user who is no member
}

const webhookColumns = `w.id, w.org_id, w.workspace_id, w.url, w.description, w.event_types, w.enabled, w.disabled_reason, w.disabled_at,
	w.secret_last4, w.created_by_user, w.created_by_key, w.grant_user, w.grant_key, w.grant_scopes,
	w.failing_since, w.version, w.created_at, w.updated_at, w.format, w.query`

func scanWebhook(r sqldb.Row) (w Webhook, err error) {
	var types, scopes string
	var enabled, created, updated int64
	var disabled, failing *int64
	err = r.Scan(&w.ID, &w.OrgID, &w.WorkspaceID, &w.URL, &w.Description, &types, &enabled, &w.DisabledReason,
		&disabled,
		&w.SecretLast4, &w.Creator.UserID, &w.Creator.KeyID, &w.Grant.UserID, &w.Grant.KeyID, &scopes,
		&failing, &w.Version, &created, &updated, &w.Format, &w.Query)
	w.EventTypes, w.Enabled, w.Grant.Scopes = split[api.Subscription](types), enabled == 1, split[api.Scope](scopes)
	w.DisabledAt, w.FailingSince = sqldb.TimeAt(disabled), sqldb.TimeAt(failing)
	w.CreatedAt, w.UpdatedAt = api.FromMillis(created), api.FromMillis(updated)
	return w, err
}

const webhookByID = "SELECT " + webhookColumns + " FROM webhooks w WHERE w.id = $1 AND w.deleted_at IS NULL"

// Webhook returns a webhook.
func (q Queries) Webhook(id string) (Webhook, error) {
	return sqldb.One(q.db, scanWebhook, webhookByID, id)
}

// LockWebhook is Webhook with a row lock.
func (tx *Tx) LockWebhook(id string) (Webhook, error) {
	return sqldb.One(tx.db, scanWebhook, webhookByID+tx.db.Engine.LockRow, id)
}

// Webhooks returns at most limit webhooks of the workspaces after afterID, by id.
func (q Queries) Webhooks(workspaces []string, afterID string, limit int) ([]Webhook, error) {
	if len(workspaces) == 0 {
		return nil, nil
	}
	var p sqldb.Params
	return sqldb.List(q.db, scanWebhook, "SELECT "+webhookColumns+" FROM webhooks w WHERE w.workspace_id IN "+
		sqldb.In(&p, workspaces)+
		" AND w.deleted_at IS NULL AND w.id > "+p.Add(afterID)+" ORDER BY w.id LIMIT "+p.Add(limit), p.Args...)
}

// CountWebhooks returns the number of webhooks of a workspace.
func (q Queries) CountWebhooks(workspaceID string) (int, error) {
	return sqldb.One(q.db, sqldb.ScanOne[int],
		"SELECT count(*) FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL", workspaceID)
}

// InsertWebhook stores a new webhook.
func (tx *Tx) InsertWebhook(w *Webhook) error {
	w.Version = 1
	return tx.db.Exec(`INSERT INTO webhooks (id, org_id, workspace_id, url, description, event_types, enabled, disabled_reason,
			disabled_at, secret_last4, created_by_user, created_by_key, grant_user, grant_key, grant_scopes, created_at, updated_at, format,
			query)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		w.ID, w.OrgID, w.WorkspaceID, w.URL, w.Description, join(w.EventTypes), sqldb.Flag(w.Enabled), w.DisabledReason,
		sqldb.Millis(w.DisabledAt), w.SecretLast4, w.Creator.UserID, w.Creator.KeyID, w.Grant.UserID, w.Grant.KeyID,
		join(w.Grant.Scopes), w.CreatedAt.UnixMilli(), w.UpdatedAt.UnixMilli(), w.Format, w.Query)
}

// UpdateWebhook stores w over the version it was read at, else ErrConflict. A webhook that is enabled, or gets
// another URL, is not blocked any more.
func (tx *Tx) UpdateWebhook(w *Webhook) error {
	err := tx.db.ExecOne(ErrConflict, `UPDATE webhooks SET url = $3, description = $4, event_types = $5,
			enabled = $6, disabled_reason = $7, disabled_at = $8, secret_last4 = $9, grant_user = $10, grant_key = $11,
			grant_scopes = $12, failing_since = $13, updated_at = $14, format = $15, query = $16, version = version + 1,
			blocked_until = CASE WHEN url <> $3 OR enabled < $6 THEN 0 ELSE blocked_until END
		WHERE id = $1 AND version = $2`,
		w.ID, w.Version, w.URL, w.Description, join(w.EventTypes), sqldb.Flag(w.Enabled), w.DisabledReason,
		sqldb.Millis(w.DisabledAt), w.SecretLast4, w.Grant.UserID, w.Grant.KeyID, join(w.Grant.Scopes),
		sqldb.Millis(w.FailingSince),
		w.UpdatedAt.UnixMilli(), w.Format, w.Query)
	w.Version++
	return err
}

// WebhookMessage returns the message of a webhook about a slice, as the receiver names it; empty when there is none.
func (q Queries) WebhookMessage(webhookID, sliceID string) (string, error) {
	found, err := sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT message FROM webhook_messages WHERE webhook_id = $1 AND slice_id = $2", webhookID, sliceID)
	return strings.Join(found, ""), err
}

// PutWebhookMessage stores the message of a webhook about a slice that exists.
func (tx *Tx) PutWebhookMessage(webhookID, sliceID, message string) error {
	return tx.db.Exec(`INSERT INTO webhook_messages (webhook_id, slice_id, message) SELECT $1, id, $3 FROM slices WHERE id = $2
		ON CONFLICT (webhook_id, slice_id) DO UPDATE SET message = excluded.message`, webhookID, sliceID, message)
}

// DeleteWebhook marks a webhook as deleted and deletes its secrets. PurgeWebhooks deletes its deliveries.
func (tx *Tx) DeleteWebhook(id string, at api.Time) error {
	if err := tx.db.Exec("DELETE FROM webhook_secrets WHERE webhook_id = $1", id); err != nil {
		return err
	}
	return tx.db.Exec("UPDATE webhooks SET enabled = 0, deleted_at = $2, version = version + 1 WHERE id = $1", id,
		at.UnixMilli())
}

// PurgeWebhooks deletes up to limit deliveries of a webhook that was marked as deleted, and after the last of them the
// webhook. It returns the number of rows, or limit when there may be more.
func (tx *Tx) PurgeWebhooks(limit int) (int, error) {
	deleted, err := sqldb.List(tx.db, sqldb.ScanOne[string],
		"SELECT id FROM webhooks WHERE deleted_at IS NOT NULL ORDER BY id LIMIT 1")
	if err != nil || len(deleted) == 0 {
		return 0, err
	}
	n, err := tx.deleteDeliveries(`DELETE FROM deliveries WHERE id IN
		(SELECT id FROM deliveries WHERE webhook_id = $1 LIMIT $2) RETURNING workspace_id`, deleted[0], limit)
	if err != nil || n == limit {
		return n, err
	}
	return limit, tx.db.Exec("DELETE FROM webhooks WHERE id = $1", deleted[0])
}

// GrantStatus returns the present state of a grant.
func (q Queries) GrantStatus(workspaceID string, g Grant) (GrantStatus, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (s GrantStatus, err error) {
		var revoked, disabled, expires *int64
		var created int64
		var role *api.Role
		var keyType api.KeyType
		var p policies.Row
		err = r.Scan(append([]any{&revoked, &expires, &keyType, &created, &disabled, &role}, p.Targets()...)...)
		s.KeyRevoked, s.UserDisabled, s.Scopes = revoked != nil, disabled != nil, g.Scopes
		if keyType != "" {
			policy := p.Decode()
			s.Scopes = policy.KeyScopes(keyType, g.Scopes)
			s.KeyExpiresAt = policy.KeyEnd(keyType, api.FromMillis(created), sqldb.TimeAt(expires))
		}
		if role != nil {
			s.Role = *role
		}
		return s, err
	}, `SELECT k.revoked_at, k.expires_at, COALESCE(k.type, ''), COALESCE(k.created_at, 0), u.disabled_at, m.role, `+policies.Columns+`
		FROM workspaces w JOIN organizations o ON o.id = w.org_id LEFT JOIN api_keys k ON k.id = $2
		LEFT JOIN users u ON u.id = $3 LEFT JOIN memberships m ON m.user_id = $3 AND m.workspace_id = w.id WHERE w.id = $1`,
		workspaceID, g.KeyID, g.UserID)
}

// SetSubscriptions stores Counters.Subscriptions of a workspace.
func (tx *Tx) SetSubscriptions(workspaceID string, subscriptions int64) error {
	delete(tx.counters, workspaceID)
	return tx.db.Exec("UPDATE workspaces SET subscriptions = $2 WHERE id = $1", workspaceID, subscriptions)
}
