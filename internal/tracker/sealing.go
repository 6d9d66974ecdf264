package tracker

import (
	"encoding/base64"
	"strings"

	"bugslice/internal/secret"
	"bugslice/internal/store/sealed"
)

// The purposes of stored secrets.
const (
	webhookPurpose       = "webhook secrets"
	authenticatorPurpose = "authenticator keys"
	providerPurpose      = "client secret at a provider"
	sourcePurpose        = "secrets of sources"
)

// purposes are those of stored secrets by their kinds.
var purposes = map[sealed.Kind]string{
	sealed.Webhook: webhookPurpose, sealed.Authenticator: authenticatorPurpose, sealed.Provider: providerPurpose,
	sealed.Source: sourcePurpose,
}

// seal encrypts a text for a purpose, in the letters that URLs have. It can be decrypted only for this purpose, and with
// what it is bound to.
func (t *Tracker) seal(purpose, bound, text string) string {
	return base64.RawURLEncoding.EncodeToString(t.secrets.Seal(purpose, []byte(text), []byte(bound)))
}

// unseal decrypts what seal has encrypted.
func (t *Tracker) unseal(purpose, bound, sealed string) (string, error) {
	encrypted, err := sealedBytes(sealed)
	if err != nil {
		return "", err
	}
	text, err := t.secrets.Open(purpose, encrypted, []byte(bound))
	return string(text), err
}

// sealedBytes returns the bytes of a sealed text. Secrets of webhooks were stored in the letters of base64 that URLs do not
// have.
func sealedBytes(sealed string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(sealed))
}

// keyOf returns the position in the ring of the key that decrypts a secret, negative for none.
func keyOf(ring *secret.Ring, s sealed.Secret) int {
	encrypted, err := sealedBytes(s.Sealed)
	if err != nil {
		return -1
	}
	return ring.KeyOf(purposes[s.Kind], encrypted, []byte(s.Owner))
}
