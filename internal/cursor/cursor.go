// Package cursor makes pagination cursors: opaque, and authenticated together with the list
// they belong to, so that an altered or foreign one is known for what it is.
package cursor

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"bugslice/internal/secret"
)

// ErrInvalid says that a cursor was not made here for this binding.
var ErrInvalid = errors.New("cursor: not valid here")

const (
	purpose = "cursor"
	longest = 2048
)

// Codec makes and reads cursors.
type Codec struct{ secrets *secret.Ring }

// New returns a Codec over the instance's secrets.
func New(r *secret.Ring) *Codec { return &Codec{r} }

// Encode returns the cursor of a position, parts of valid UTF-8, in the list that binding
// names.
func (c *Codec) Encode(binding string, position ...string) string {
	b, err := json.Marshal(position)
	if err != nil {
		panic(err) // strings always marshal
	}
	return base64.RawURLEncoding.EncodeToString(c.secrets.Seal(purpose, b, []byte(binding)))
}

// Decode returns the n parts of a cursor's position. Anything but the very text that Encode
// returned for this binding is ErrInvalid; so are line breaks in it, which base64 passes over.
func (c *Codec) Decode(binding, cursor string, n int) ([]string, error) {
	if len(cursor) > longest || strings.ContainsAny(cursor, "\r\n") {
		return nil, ErrInvalid
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return nil, ErrInvalid
	}
	b, err := c.secrets.Open(purpose, sealed, []byte(binding))
	if err != nil {
		return nil, ErrInvalid
	}
	var position []string
	if json.Unmarshal(b, &position) != nil || len(position) != n {
		return nil, ErrInvalid
	}
	return position, nil
}
