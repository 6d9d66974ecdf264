package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/webhook"
)

// LostSecrets returns those of the secrets that the ring cannot decrypt.
func LostSecrets(ring *secret.Ring, all []store.SealedSecret) []store.SealedSecret {
	return slices.DeleteFunc(slices.Clone(all), func(s store.SealedSecret) bool {
		_, err := unseal(ring, s.WebhookID, s.WebhookSecret)
		return err == nil
	})
}

// ReplaceLostSecrets removes the secrets of webhooks that the instance's key cannot decrypt. A webhook that
// has none left gets one that nobody has seen: its receiver refuses what is signed with it, until
// the secret is rotated. It returns the webhooks that had lost some.
func (o *Operator) ReplaceLostSecrets(ctx context.Context) (webhooks []string, err error) {
	t := o.t
	all, err := t.store.Read(ctx).SealedSecrets(t.clock())
	if err != nil {
		return nil, err
	}
	lost := LostSecrets(t.secrets, all)
	for len(lost) > 0 {
		id := lost[0].WebhookID
		n := slices.IndexFunc(lost, func(s store.SealedSecret) bool { return s.WebhookID != id })
		if n < 0 {
			n = len(lost)
		}
		if err := t.replaceSecrets(ctx, id, lost[:n]); err != nil {
			return webhooks, err
		}
		webhooks, lost = append(webhooks, id), lost[n:]
	}
	return webhooks, nil
}

func (t *Tracker) replaceSecrets(ctx context.Context, webhookID string, lost []store.SealedSecret) error {
	return systemChange(t, ctx, func(tx *store.Tx) error {
		w, err := tx.LockWebhook(webhookID)
		if errors.Is(err, store.ErrNotFound) { // it was deleted meanwhile, and its secrets with it
			return nil
		}
		if err != nil {
			return err
		}
		current := false
		for _, s := range lost {
			current = current || s.Current
			if err := tx.DeleteSecret(s.ID); err != nil {
				return err
			}
		}
		if !current {
			return nil
		}
		return t.rotateSecret(tx, system(w.OrgID), &w, webhook.NewSecret(), 0)
	})
}

// ReleaseLeases makes due at once what a process that has died was delivering, and its jobs. It is for
// a server that knows itself to be the only one on the database.
func (t *Tracker) ReleaseLeases(ctx context.Context) error {
	return systemChange(t, ctx, func(tx *store.Tx) error { return tx.ReleaseLeases(t.clock()) })
}
