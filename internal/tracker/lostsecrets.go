package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/webhook"
)

// LostSecrets returns the secrets that the instance's secret key cannot decrypt.
func LostSecrets(ring *secret.Ring, all []store.SealedSecret) []store.SealedSecret {
	return slices.DeleteFunc(slices.Clone(all), func(s store.SealedSecret) bool {
		return keyOf(ring, s) >= 0
	})
}

// ReplaceLostSecrets deletes the secrets of webhooks that the instance's secret key cannot decrypt, and returns those
// webhooks. A webhook whose current secret is deleted gets a new one, which is not shown: its receiver rejects messages
// until somebody rotates the secret. It removes the authenticator apps of users whose keys cannot be decrypted, and
// returns these users: they sign in with another factor, or without a second one.
func (o *Operator) ReplaceLostSecrets(ctx context.Context) (webhooks, users []string, err error) {
	t := o.t
	all, err := t.access.Read(ctx).SealedSecrets(t.clock())
	if err != nil {
		return nil, nil, err
	}
	lost := LostSecrets(t.secrets, all)
	for len(lost) > 0 && lost[0].WebhookID == "" { // these come first
		if err := t.removeLostAuthenticator(ctx, lost[0].UserID); err != nil {
			return nil, users, err
		}
		users, lost = append(users, lost[0].UserID), lost[1:]
	}
	for len(lost) > 0 { // the secrets are in the order of their webhooks
		webhookID := lost[0].WebhookID
		n := slices.IndexFunc(lost, func(s store.SealedSecret) bool { return s.WebhookID != webhookID })
		if n < 0 {
			n = len(lost)
		}
		if err := t.replaceSecrets(ctx, webhookID, lost[:n]); err != nil {
			return webhooks, users, err
		}
		webhooks, lost = append(webhooks, webhookID), lost[n:]
	}
	return webhooks, users, nil
}

// removeLostAuthenticator removes the authenticator app of a user.
func (t *Tracker) removeLostAuthenticator(ctx context.Context, userID string) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		u, err := tx.LockUser(userID)
		if err == nil {
			err = tx.Factors().RemoveAuthenticator(userID)
		}
		if err != nil {
			return err
		}
		return t.recordAudit(tx, access.System(u.OrgID), event{Type: api.EventFactorRemoved, ID: u.ID,
			Subject: factorSubject(u, ByAuthenticator)})
	})
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
