package cursor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugslice/internal/cursor"
	"bugslice/internal/secret"
)

func codec(t testing.TB) *cursor.Codec {
	r, err := secret.Parse(strings.Repeat("ab", 32))
	if err != nil {
		t.Fatal(err)
	}
	return cursor.New(r)
}

func TestRoundTripAndAlteration(t *testing.T) {
	c := codec(t)
	rapid.Check(t, func(r *rapid.T) {
		binding := rapid.String().Draw(r, "binding")
		position := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9_]{0,40}`), 1, 3).Draw(r, "position")
		text := c.Encode(binding, position...)
		got, err := c.Decode(binding, text, len(position))
		if err != nil || !slices.Equal(got, position) {
			r.Fatalf("%v %v", got, err)
		}
		at := rapid.IntRange(0, len(text)-1).Draw(r, "at")
		altered := text[:at] + rapid.SampledFrom([]string{"A", "z", "-", "=", ""}).Draw(r, "to") + text[at+1:]
		if _, err := c.Decode(binding, altered, len(position)); altered != text && !errors.Is(err, cursor.ErrInvalid) {
			r.Fatalf("%s altered to %s is taken", text, altered)
		}
		if _, err := c.Decode(binding+"x", text, len(position)); !errors.Is(err, cursor.ErrInvalid) {
			r.Fatal("taken for another list")
		}
		if _, err := c.Decode(binding, text, len(position)+1); !errors.Is(err, cursor.ErrInvalid) {
			r.Fatal("taken with another number of parts")
		}
	})
}

func FuzzDecode(f *testing.F) {
	c := codec(f)
	f.Add("")
	f.Add(c.Encode("b", "slc_1", ""))
	f.Add(strings.Repeat("A", 3000))
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := c.Decode("b", s, 2); err == nil && (len(got) != 2 || c.Encode("b", got...) == "") {
			t.Errorf("%q: %v", s, got)
		}
	})
}
