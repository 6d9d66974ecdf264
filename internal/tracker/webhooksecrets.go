package tracker

import (
	"errors"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// rotateSecret replaces the current secret of a webhook. The transaction must have locked the webhook.
func (t *Tracker) rotateSecret(tx *access.Tx, c access.Caller, w *store.Webhook, newSecret string, grace time.Duration,
) error {
	now := t.clock()
	w.SecretLast4, w.UpdatedAt = newSecret[len(newSecret)-4:], maxTime(now, w.UpdatedAt)
	counters, err := reserveWebhookEvent(tx, w.WorkspaceID)
	if err != nil {
		return err
	}
	if err := tx.UpdateWebhook(w); err != nil {
		return err
	}
	if err := tx.InsertSecret(w.ID, t.sealSecret(w.ID, newSecret), now, api.At(now.Add(grace))); err != nil {
		return err
	}
	return t.publishWebhook(tx, c, counters,
		event{Type: api.EventWebhookSecretRotated, ID: w.ID, Subject: recorded(w.Webhook)})
}

// sealSecret encrypts a secret. It can be decrypted only as a secret of the same webhook.
func (t *Tracker) sealSecret(webhookID, text string) store.WebhookSecret {
	return store.WebhookSecret{ID: id.New(id.Secret), Sealed: t.seal(webhookPurpose, webhookID, text)}
}

// openSecrets returns the secrets of a webhook that are valid now, the newest first.
func (t *Tracker) openSecrets(q access.Queries, webhookID string) ([]string, error) {
	rows, err := q.Secrets(webhookID, t.clock())
	if err != nil {
		return nil, err
	}
	var all []string
	for _, row := range rows {
		text, err := t.unseal(webhookPurpose, webhookID, row.Sealed)
		if err != nil {
			return nil, fmt.Errorf("the secret of webhook %s cannot be decrypted: is this the instance's secret key? %w", webhookID, err)
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return nil, errNoSecret
	}
	return all, nil
}

// errNoSecret means that the webhook was deleted: every other one has a secret.
var errNoSecret = errors.New("the webhook has no secret")
