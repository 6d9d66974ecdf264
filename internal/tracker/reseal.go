package tracker

import (
	"context"

	"bugslice/internal/access"
	"bugslice/internal/secret"
	"bugslice/internal/store/sealed"
)

// SealedBy returns the number of secrets that each key of the ring decrypts, in the order of its keys, and the number
// of those that none decrypts.
func SealedBy(ring *secret.Ring, all []sealed.Secret) (counts []int, lost int) {
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

// ResealSecrets encrypts under the first key of the master secret each stored secret that a former key encrypted, and
// returns their number. It skips secrets that no key decrypts.
func (o *Operator) ResealSecrets(ctx context.Context) (resealed int, err error) {
	t := o.t
	all, err := t.access.Read(ctx).Sealed().All(t.clock())
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
func (t *Tracker) reseal(ctx context.Context, s sealed.Secret) error {
	text, err := t.unseal(purposes[s.Kind], s.Owner, s.Sealed)
	if err != nil {
		return err
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return tx.Sealed().Replace(s, t.seal(purposes[s.Kind], s.Owner, text))
	})
}
