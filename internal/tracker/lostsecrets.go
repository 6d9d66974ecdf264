package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/internal/access"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/webhook"
)

// LostSecrets returns the secrets that the instance's secret key cannot decrypt.
func LostSecrets(ring *secret.Ring, all []store.SealedSecret) []store.SealedSecret {
	return slices.DeleteFunc(slices.Clone(all), func(s store.SealedSecret) bool {
		_, err := unseal(ring, s.WebhookID, s.WebhookSecret)
		return err == nil
	})
}

// ReplaceLostSecrets deletes the secrets of webhooks that the instance's secret key cannot decrypt, and returns those
// webhooks. A webhook whose current secret is deleted gets a new one, which is not shown: its receiver rejects messages
// until somebody rotates the secret.
func (o *Operator) ReplaceLostSecrets(ctx context.Context) (webhooks []string, err error) {
	t := o.t
	all, err := t.access.Read(ctx).SealedSecrets(t.clock())
	if err != nil {
		return nil, err
	}
	lost := LostSecrets(t.secrets, all)
	for len(lost) > 0 { // the secrets are in the order of their webhooks
		webhookID := lost[0].WebhookID
		n := slices.IndexFunc(lost, func(s store.SealedSecret) bool { return s.WebhookID != webhookID })
		if n < 0 {
			n = len(lost)
		}
		if err := t.replaceSecrets(ctx, webhookID, lost[:n]); err != nil {
			return webhooks, err
		}
		webhooks, lost = append(webhooks, webhookID), lost[n:]
	}
	return webhooks, nil
}

// replaceSecrets deletes lost secrets of one webhook. When the current one is among them, the webhook gets a new one
// without a grace period.
func (t *Tracker) replaceSecrets(ctx context.Context, webhookID string, lost []store.SealedSecret) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		w, err := tx.LockWebhook(webhookID)
		if errors.Is(err, store.ErrNotFound) { // deleted meanwhile, with its secrets, or an organisation at its provider
			return tx.Identities().ForgetSecret(webhookID)
		}
		if err != nil {
			return err
		}
		lostCurrent := false
		for _, s := range lost {
			lostCurrent = lostCurrent || s.Current
			if err := tx.DeleteSecret(s.ID); err != nil {
				return err
			}
		}
		if !lostCurrent {
			return nil
		}
		return t.rotateSecret(tx, access.System(w.OrgID), &w, webhook.NewSecret(), 0)
	})
}
