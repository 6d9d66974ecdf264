package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/sealed"
	"bugslice/webhook"
)

// LostSecrets returns the secrets that the instance's secret key cannot decrypt.
func LostSecrets(ring *secret.Ring, all []sealed.Secret) []sealed.Secret {
	return slices.DeleteFunc(slices.Clone(all), func(s sealed.Secret) bool {
		return keyOf(ring, s) >= 0
	})
}

// ReplacedSecrets are whose secrets were replaced or removed.
type ReplacedSecrets struct{ Webhooks, Users, Organizations, Sources []string }

// ReplaceLostSecrets removes the secrets that the instance's secret key cannot decrypt, and returns whose they were. A
// webhook whose current secret is lost gets a new one, which is not shown: its receiver rejects messages until somebody
// rotates the secret. Users whose authenticator apps go sign in with another factor, or without a second one. An
// organisation whose secret at its provider goes signs in there once an admin has entered it again. A source whose secret
// goes takes no signed identity until an admin rotates its secret.
func (o *Operator) ReplaceLostSecrets(ctx context.Context) (r ReplacedSecrets, err error) {
	t := o.t
	all, err := t.access.Read(ctx).Sealed().All(t.clock())
	if err != nil {
		return r, err
	}
	for lost := LostSecrets(t.secrets, all); len(lost) > 0; { // they are in the order of their owners
		first := lost[0]
		n := slices.IndexFunc(lost, func(s sealed.Secret) bool { return s.Kind != first.Kind || s.Owner != first.Owner })
		if n < 0 {
			n = len(lost)
		}
		switch first.Kind {
		case sealed.Authenticator:
			err, r.Users = t.removeLostAuthenticator(ctx, first.Owner), append(r.Users, first.Owner)
		case sealed.Provider:
			err, r.Organizations = t.removeLostProviderSecret(ctx, first.Owner), append(r.Organizations, first.Owner)
		case sealed.Source:
			err, r.Sources = t.removeLostSourceSecrets(ctx, lost[:n]), append(r.Sources, first.Owner)
		case sealed.Webhook:
			err, r.Webhooks = t.replaceSecrets(ctx, first.Owner, lost[:n]), append(r.Webhooks, first.Owner)
		}
		if err != nil {
			return r, err
		}
		lost = lost[n:]
	}
	return r, nil
}

// removeLostProviderSecret removes the secret of an organisation at its provider.
func (t *Tracker) removeLostProviderSecret(ctx context.Context, orgID string) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		if err := tx.LockOrganization(orgID); err != nil {
			return err
		}
		p, err := tx.Queries.Identities().Provider(orgID)
		if err != nil {
			return ignoreMissing(err)
		}
		p.Sealed = ""
		if err := tx.Identities().PutProvider(p); err != nil {
			return err
		}
		return t.recordAudit(tx, access.System(orgID), event{Type: api.EventProviderUpdated, ID: orgID,
			Subject: providerSubject(p)})
	})
}

// ignoreMissing ignores that a record is gone meanwhile.
func ignoreMissing(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// removeLostAuthenticator removes the authenticator app of a user.
func (t *Tracker) removeLostAuthenticator(ctx context.Context, userID string) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		u, err := tx.LockUser(userID)
		if err == nil {
			err = tx.Factors().RemoveAuthenticator(userID)
		}
		if err != nil {
			return ignoreMissing(err)
		}
		return t.recordAudit(tx, access.System(u.OrgID), event{Type: api.EventFactorRemoved, ID: u.ID,
			Subject: factorSubject(u, ByAuthenticator)})
	})
}

// removeLostSourceSecrets removes secrets of a source that nobody can decrypt.
func (t *Tracker) removeLostSourceSecrets(ctx context.Context, lost []sealed.Secret) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		for _, s := range lost {
			if err := tx.Sources().DeleteSecret(s.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// replaceSecrets deletes lost secrets of one webhook. When the current one is among them, the webhook gets a new one
// without a grace period.
func (t *Tracker) replaceSecrets(ctx context.Context, webhookID string, lost []sealed.Secret) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		w, err := tx.LockWebhook(webhookID)
		if err != nil {
			return ignoreMissing(err)
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
