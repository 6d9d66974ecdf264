// Package cursor encodes pagination cursors. A cursor is encrypted and bound to its list, so that an altered one, or
// one of another list, is refused.
package cursor

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"bugslice/internal/secret"
)

// ErrInvalid says that a cursor is altered, or of another list.
var ErrInvalid = errors.New("cursor: not valid for this list")

const (
	purpose   = "cursor"
	maxLength = 2048
)

// Codec encodes and decodes cursors.
type Codec struct{ secrets *secret.Ring }

// New returns a Codec that encrypts with the secrets.
func New(r *secret.Ring) *Codec { return &Codec{r} }

// Encode returns the cursor of a position in a list. The parts of the position must be valid UTF-8.
func (c *Codec) Encode(list string, position ...string) string {
	b, err := json.Marshal(position)
	if err != nil {
		panic(err) // strings always marshal
	}
	return base64.RawURLEncoding.EncodeToString(c.secrets.Seal(purpose, b, []byte(list)))
}

// Decode returns the n parts of a cursor's position. It returns ErrInvalid for any text that Encode did not return
// for this list, including one with line breaks, which base64 would ignore.
func (c *Codec) Decode(list, cursor string, n int) ([]string, error) {
	if len(cursor) > maxLength || strings.ContainsAny(cursor, "\r\n") {
		return nil, ErrInvalid
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return nil, ErrInvalid
	}
	b, err := c.secrets.Open(purpose, sealed, []byte(list))
	if err != nil {
		return nil, ErrInvalid
	}
	var position []string
	if json.Unmarshal(b, &position) != nil || len(position) != n {
		return nil, ErrInvalid
	}
	return position, nil
}
