// Package webhook signs and verifies webhook messages by Standard Webhooks 1.0.0 (https://www.standardwebhooks.com),
// for senders and receivers. It imports only the standard library.
//
// A message has three headers: webhook-id, which is the same at every attempt to deliver the message;
// webhook-timestamp, the time of the attempt in Unix seconds; and webhook-signature, one or more signatures separated
// by spaces. A signature is "v1," and the base64 of the HMAC-SHA256 of "id.timestamp.body".
package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a message.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
)

// Tolerance is the maximum difference between the timestamp of a message and the receiver's clock.
const Tolerance = 5 * time.Minute

const (
	secretPrefix = "whsec_"
	version      = "v1,"
	minSecret    = 24
	maxSecret    = 64
)

// Errors of this package. Do not trust a message for which Verify returns one.
var (
	ErrSecret    = errors.New("webhook: a secret is whsec_ and the base64 of 24 to 64 bytes")
	ErrHeaders   = errors.New("webhook: a webhook header is missing or malformed")
	ErrTimestamp = errors.New("webhook: the message is too old, or from the future")
	ErrSignature = errors.New("webhook: no signature matches")
)

// NewSecret returns a random secret of 32 bytes.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// parseSecret returns the key of a secret. No error contains it.
func parseSecret(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(key) < minSecret || len(key) > maxSecret {
		return nil, ErrSecret
	}
	return key, nil
}

// Sign returns the value of webhook-signature for a message that is sent at a time. It has one signature for each
// secret, so that secrets can be rotated.
func Sign(id string, at time.Time, body []byte, secrets ...string) (string, error) {
	if id == "" || strings.ContainsAny(id, ". \t\r\n") {
		return "", fmt.Errorf("%w: an id must not be empty, or contain dots or spaces", ErrHeaders)
	}
	var signatures []string
	for _, s := range secrets {
		key, err := parseSecret(s)
		if err != nil {
			return "", err
		}
		mac := signature(key, id, strconv.FormatInt(at.Unix(), 10), body)
		signatures = append(signatures, version+base64.StdEncoding.EncodeToString(mac))
	}
	if len(signatures) == 0 {
		return "", ErrSecret
	}
	return strings.Join(signatures, " "), nil
}

func signature(key []byte, id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return h.Sum(nil)
}

// Verifier verifies messages by one or more secrets: while a secret is rotated, by the new and the former one.
type Verifier struct {
	keys [][]byte
	now  func() time.Time
}

// NewVerifier returns a Verifier, or ErrSecret when a secret is malformed or there is none.
func NewVerifier(secrets ...string) (*Verifier, error) {
	v := &Verifier{now: time.Now}
	for _, s := range secrets {
		key, err := parseSecret(s)
		if err != nil {
			return nil, err
		}
		v.keys = append(v.keys, key)
	}
	if len(v.keys) == 0 {
		return nil, ErrSecret
	}
	return v, nil
}

// Verify returns nil when one of the secrets signed the message, and its timestamp is within Tolerance of now. body
// must be the unchanged bytes of the request. Verify compares in constant time, and ignores signatures of unknown
// versions.
func (v *Verifier) Verify(h http.Header, body []byte) error {
	id, timestamp, signatures := h.Get(HeaderID), h.Get(HeaderTimestamp), h.Get(HeaderSignature)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || signatures == "" || err != nil || strconv.FormatInt(seconds, 10) != timestamp {
		return ErrHeaders
	}
	if age := v.now().Sub(time.Unix(seconds, 0)); age > Tolerance || age < -Tolerance {
		return ErrTimestamp
	}
	for _, key := range v.keys {
		if matches(signatures, signature(key, id, timestamp, body)) {
			return nil
		}
	}
	return ErrSignature
}

// matches reports whether one of the signatures of a header is the wanted one.
func matches(signatures string, want []byte) bool {
	for s := range strings.FieldsSeq(signatures) {
		text, isKnown := strings.CutPrefix(s, version)
		got, err := base64.StdEncoding.DecodeString(text)
		if isKnown && err == nil && hmac.Equal(got, want) {
			return true
		}
	}
	return false
}
