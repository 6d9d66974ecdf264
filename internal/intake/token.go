package intake

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"time"

	"bugslice/internal/proofofwork"
	"bugslice/internal/secret"
	"bugslice/internal/token"
)

const (
	tokenLifetime = 10 * time.Minute
	// Dwell is the time between a token and the report: nobody describes a problem faster.
	Dwell           = 2 * time.Second
	receiptLifetime = 24 * time.Hour // as long as an upload

	tokenPurpose   = "tokens of visitors"
	receiptPurpose = "receipts of visitors"
	addressPurpose = "addresses of uploads"

	maxSealed = 2000 // characters of a token or a receipt
)

// submitToken allows one report from a page. It is sealed, so that every node can check it and nobody can make one.
type submitToken struct {
	Source string    `json:"s"`
	Origin string    `json:"o"`
	Issued time.Time `json:"i"`
	Salt   string    `json:"n"` // random, so that no token is like another one
	Bits   int       `json:"b"`
}

func (t submitToken) expires() time.Time { return t.Issued.Add(tokenLifetime) }

func (t submitToken) puzzle() proofofwork.Puzzle {
	return proofofwork.Puzzle{Salt: t.Salt, Bits: t.Bits}
}

// receipt says which report somebody has sent, and allows to add files to it.
type receipt struct {
	Source     string    `json:"s"`
	Subject    string    `json:"r"`
	Occurrence int64     `json:"o"` // of the slice; 0 for a report that waits for approval
	Expires    time.Time `json:"e"`
}

// seal encrypts a token or a receipt in the letters that headers have.
func seal(ring *secret.Ring, purpose string, v any) (string, error) {
	text, err := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(ring.Seal(purpose, text, nil)), err
}

// unseal decrypts what seal has made. It reports whether this instance has made it for this purpose.
func unseal[T any](ring *secret.Ring, purpose, text string) (v T, ok bool) {
	if len(text) > maxSealed {
		return v, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return v, false
	}
	plain, err := ring.Open(purpose, sealed, nil)
	return v, err == nil && json.Unmarshal(plain, &v) == nil
}

func newSalt() string { return rand.Text() }

// uploadAddress returns the last part of the address of a file of a report. Whoever creates the same file again gets
// the same address; nobody can guess it.
func uploadAddress(ring *secret.Ring, r receipt, part string) string {
	text, err := json.Marshal([]any{r.Source, r.Subject, r.Occurrence, part})
	if err != nil {
		panic(err) // texts and a number
	}
	return base64.RawURLEncoding.EncodeToString(ring.Digests(addressPurpose, string(text))[0])
}

// hashOf returns what is stored of a token, of an address, or of a name that a browser gave.
func hashOf(text string) string { return token.Hash(text) }
