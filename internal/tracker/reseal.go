package tracker

import (
	"context"
	"encoding/base64"

	"bugslice/internal/access"
	"bugslice/internal/secret"
	"bugslice/internal/store"
)

// SealedBy returns the number of secrets that each key of the ring decrypts, in the order of its keys, and the number
// of those that none decrypts.
func SealedBy(ring *secret.Ring, all []store.SealedSecret) (counts []int, lost int) {
	counts = make([]int, ring.Len())
	for _, s := range all {
		if n := keyOf(ring, s); n >= 0 {
			counts[n]++
		} else {
			lost++
		}
	}
	return counts, lost
}

// keyOf returns the position in the ring of the key that decrypts a secret, negative for none.
func keyOf(ring *secret.Ring, s store.SealedSecret) int {
	sealed, err := base64.RawStdEncoding.DecodeString(s.Sealed)
	if err != nil {
		return -1
	}
	if s.UserID != "" {
		return ring.KeyOf(authenticatorPurpose, sealed, []byte(s.UserID))
	}
	return ring.KeyOf(secretPurpose, sealed, []byte(s.WebhookID))
}

// ResealSecrets encrypts under the first key of the master secret each secret of a webhook, and each key of an
// authenticator app, that a former key encrypted, and returns their number. It skips secrets that no key decrypts.
func (o *Operator) ResealSecrets(ctx context.Context) (resealed int, err error) {
	t := o.t
	all, err := t.access.Read(ctx).SealedSecrets(t.clock())
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		if keyOf(t.secrets, s) <= 0 {
			continue
		}
		if err := t.reseal(ctx, s); err != nil {
			return resealed, err
		}
		resealed++
	}
	return resealed, nil
}

// reseal encrypts one secret anew.
func (t *Tracker) reseal(ctx context.Context, s store.SealedSecret) error {
	if s.UserID != "" {
		key, err := t.openKey(s.UserID, s.Sealed)
		if err != nil {
			return err
		}
		return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return tx.Factors().Reseal(s.UserID, s.Sealed, t.sealKey(s.UserID, key))
		})
	}
	text, err := unseal(t.secrets, s.WebhookID, s.WebhookSecret)
	if err != nil {
		return err
	}
	sealed := t.sealSecret(s.WebhookID, text).Sealed
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return tx.ResealSecret(s.ID, s.Sealed, sealed)
	})
}
