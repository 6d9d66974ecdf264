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

func codec(t testing.TB, octet string) *cursor.Codec {
	r, err := secret.Parse(strings.Repeat(octet, 32))
	if err != nil {
		t.Fatal(err)
	}
	return cursor.New(r)
}

func TestRoundTripAndAlteration(t *testing.T) {
	c := codec(t, "ab")
	rapid.Check(t, func(r *rapid.T) {
		binding := rapid.String().Draw(r, "binding")
		position := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9_]{0,40}`), 1, 3).Draw(r, "position")
		text := c.Encode(binding, position...)
		got, err := c.Decode(binding, text, len(position))
		if err != nil || !slices.Equal(got, position) {
			r.Fatalf("%v %v", got, err)
		}
		at := rapid.IntRange(0, len(text)-1).Draw(r, "at")
		altered := text[:at] + rapid.SampledFrom([]string{"A", "z", "-", "=", "", "\n", "\r\n"}).Draw(r, "to") +
			text[at+1:]
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

func TestDecodeRefuses(t *testing.T) {
	c := codec(t, "ab")
	good := c.Encode("b", "slc_1")
	for what, bad := range map[string]string{"nothing": "", "a line break behind": good + "\n",
		"a line break within": good[:9] + "\r\n" + good[9:], "a space": " " + good,
		"padding": good + "=", "another instance's": codec(t, "cd").Encode("b", "slc_1"),
		"not base64url": "+/+/", "too short to be sealed": "AAAA",
		"too long": c.Encode("b", strings.Repeat("x", 2048)), "of two parts": c.Encode("b", "slc_1", "")} {
		if _, err := c.Decode("b", bad, 1); !errors.Is(err, cursor.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// The last character of a text that is no multiple of four holds bits that mean nothing.
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for _, position := range []string{"", "1", "12"} {
		text := c.Encode("b", position)
		for _, last := range alphabet {
			altered := text[:len(text)-1] + string(last)
			if _, err := c.Decode("b", altered, 1); altered != text && err == nil {
				t.Errorf("%s is taken for %s", altered, text)
			}
		}
	}
}

// made are cursors that an earlier version has issued, under a key of this test.
var made = []string{
	"ksRcOn1li6L42NxUxA6w011lggbwlcaIRNz_b_MOR78ymUd59UBUQsQu33fw_8lYa2gvAA",
	"R1J3MgijlpKcTUBpfQr1hZ2GsksMMcMrTz9ELkHtYSxsSpMt1B1t3HAwJg88ZJmg7fD0yAjTS7-IX84cyM50S3Cd_FKBbER30t" +
		"kki0KImRL-rAT_VVM2PG8uv79Mvu__HrYYd2c",
}

func TestCursorsHandedOutStayValid(t *testing.T) {
	for i, want := range [][]string{{"slc_1", ""}, {"2026-11-20T23:54:44.116Z", "slc_01ja8m2c9tf3qb6h0v5r4x7kyz"}} {
		if got, err := codec(t, "5a").Decode("b", made[i], 2); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v %v, want %v", got, err, want)
		}
	}
}

// FuzzDecode: nobody without the key makes a cursor, so only those made with it are taken.
func FuzzDecode(f *testing.F) {
	c := codec(f, "5a")
	for _, text := range made {
		f.Add(text)
		f.Add(text + "\n")
		f.Add(text + "=")
	}
	f.Add("")
	f.Add(strings.Repeat("A", 3000))
	f.Fuzz(func(t *testing.T, s string) {
		got, err := c.Decode("b", s, 2)
		if err != nil && (got != nil || !errors.Is(err, cursor.ErrInvalid)) {
			t.Errorf("%q: %v %v", s, got, err)
		}
		if err == nil && !slices.Contains(made, s) {
			t.Errorf("%q: %v", s, got)
		}
	})
}
