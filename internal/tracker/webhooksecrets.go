package tracker

import (
	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"encoding/base64"
	"errors"
	"fmt"
	"time"
)

// unseal decrypts a secret of a webhook.
func unseal(ring *secret.Ring, webhookID string, s store.WebhookSecret) (string, error) {
	sealed, err := base64.RawStdEncoding.DecodeString(s.Sealed)
	if err != nil {
		return "", err
	}
	text, err := ring.Open(secretPurpose, sealed, []byte(webhookID))
	return string(text), err
}

// rotateSecret gives a webhook, which is locked, a new current secret.
func (t *Tracker) rotateSecret(tx *store.Tx, c Caller, w *store.Webhook, text string, grace time.Duration) error {
	now := t.clock()
	w.SecretLast4, w.UpdatedAt = text[len(text)-4:], maxTime(now, w.UpdatedAt)
	n, err := tx.NextSequence(w.WorkspaceID, 0, 1)
	if err != nil {
		return err
	}
	if err := tx.UpdateWebhook(w); err != nil {
		return err
	}
	if err := tx.InsertSecret(w.ID, t.sealSecret(w.ID, text), now, api.At(now.Add(grace))); err != nil {
		return err
	}
	return t.publishWebhook(tx, c, n, *w, event{api.EventWebhookSecretRotated, w.ID, w.Webhook, nil})
}

const secretPurpose = "webhook secrets"

// sealSecret encrypts a secret so that it opens for its webhook alone.
func (t *Tracker) sealSecret(webhookID, text string) store.WebhookSecret {
	return store.WebhookSecret{ID: id.New(id.Secret),
		Sealed: base64.RawStdEncoding.EncodeToString(t.secrets.Seal(secretPurpose, []byte(text), []byte(webhookID)))}
}

// openSecrets returns the secrets that sign for a webhook now, the newest first.
func (t *Tracker) openSecrets(q store.Queries, webhookID string) ([]string, error) {
	rows, err := q.Secrets(webhookID, t.clock())
	if err != nil {
		return nil, err
	}
	var all []string
	for _, row := range rows {
		text, err := unseal(t.secrets, webhookID, row)
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

// errNoSecret says that a webhook has no secret, as a deleted one has none.
var errNoSecret = errors.New("the webhook has no secret")
