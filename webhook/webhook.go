// Package webhook signs and verifies webhook messages by Standard Webhooks 1.0.0
// (https://www.standardwebhooks.com), for those who send and for those who receive. It
// needs the standard library alone.
//
// A message travels with three headers: webhook-id, which stays the same on every try of
// the same message; webhook-timestamp, the Unix seconds of this try; and webhook-signature,
// one or more of "v1," and the base64 of HMAC-SHA256 over "id.timestamp.body", separated by
// spaces.
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

// Tolerance is how far a message's timestamp may be from the receiver's clock, either way.
const Tolerance = 5 * time.Minute

const (
	secretPrefix = "whsec_"
	version      = "v1,"
	minSecret    = 24
	maxSecret    = 64
)

// Errors of Verify. All but ErrSecret mean that the message must not be trusted.
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

// parse returns a secret's key. No error shows it.
func parse(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(key) < minSecret || len(key) > maxSecret {
		return nil, ErrSecret
	}
	return key, nil
}

// Sign returns the value of webhook-signature for a message sent at a time: one signature
// for each secret, so that a receiver can rotate.
func Sign(id string, at time.Time, body []byte, secrets ...string) (string, error) {
	if id == "" || strings.ContainsAny(id, ". \t\r\n") {
		return "", fmt.Errorf("%w: an id is a word without dots", ErrHeaders)
	}
	var all []string
	for _, s := range secrets {
		key, err := parse(s)
		if err != nil {
			return "", err
		}
		all = append(all, version+base64.StdEncoding.EncodeToString(sum(key, id, strconv.FormatInt(at.Unix(), 10), body)))
	}
	if len(all) == 0 {
		return "", ErrSecret
	}
	return strings.Join(all, " "), nil
}

func sum(key []byte, id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return h.Sum(nil)
}

// Verifier checks messages against one or more secrets: while a secret is rotated, the new
// one and the former.
type Verifier struct {
	keys [][]byte
	now  func() time.Time
}

// NewVerifier returns a Verifier, or ErrSecret.
func NewVerifier(secrets ...string) (*Verifier, error) {
	v := &Verifier{now: time.Now}
	for _, s := range secrets {
		key, err := parse(s)
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

// Verify says whether body was sent with these headers by somebody who has one of the
// secrets, within Tolerance of now. body must be the bytes as they arrived. It compares in
// constant time, and passes over signatures of versions it does not know.
func (v *Verifier) Verify(h http.Header, body []byte) error {
	id, timestamp, signatures := h.Get(HeaderID), h.Get(HeaderTimestamp), h.Get(HeaderSignature)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || signatures == "" || err != nil || strconv.FormatInt(seconds, 10) != timestamp {
		return ErrHeaders
	}
	if age := v.now().Sub(time.Unix(seconds, 0)); age > Tolerance || age < -Tolerance {
		return ErrTimestamp
	}
	matched := false
	for _, key := range v.keys {
		want := sum(key, id, timestamp, body)
		for one := range strings.FieldsSeq(signatures) {
			text, known := strings.CutPrefix(one, version)
			got, err := base64.StdEncoding.DecodeString(text)
			if known && err == nil && hmac.Equal(got, want) {
				matched = true
			}
		}
	}
	if !matched {
		return ErrSignature
	}
	return nil
}
