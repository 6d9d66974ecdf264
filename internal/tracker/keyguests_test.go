package tracker_test

import (
	"errors"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestKeysThatWithholdGuests: a key that withholds text of guests says so, and so do all keys that it creates. It gets no
// token of a key that does not.
func TestKeysThatWithholdGuests(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, fields := t.Context(), api.KeyFields{Name: "agent", Type: api.PAT, Scopes: api.AllScopes()}
		open := w.mint(t, api.AllScopes())
		assert.Equal(t, "by default", open.WithholdGuests, false)
		fields.WithholdGuests = true
		k, err := w.CreateKey(ctx, w.owner, valid(api.CreateKey{Body: fields}))
		must(t, err)
		assert.Equal(t, "the key", k.WithholdGuests, true)
		c := w.authenticate(t, k.Token)
		assert.Equal(t, "its caller", c.WithholdsGuests(), true)
		me, err := w.GetMe(ctx, c, valid(api.GetMe{}))
		must(t, err)
		assert.Equal(t, "the key of the caller", me.Key.WithholdGuests, true)
		fields.WithholdGuests = false
		made, err := w.CreateKey(ctx, c, valid(api.CreateKey{Body: fields}))
		must(t, err)
		assert.Equal(t, "a key that it creates", w.authenticate(t, made.Token).WithholdsGuests(), true)
		_, err = w.RotateKey(ctx, c, valid(api.RotateKey{KeyID: open.ID}))
		if problem, ok := errors.AsType[*api.Problem](err); !ok || problem.Code != api.CodeForbidden {
			t.Errorf("another key is rotated: %v", err)
		}
		rotated, err := w.RotateKey(ctx, c, valid(api.RotateKey{KeyID: made.ID}))
		must(t, err)
		assert.Equal(t, "a rotated key", w.authenticate(t, rotated.Token).WithholdsGuests(), true)
	})
}
