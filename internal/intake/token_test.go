package intake

import (
	"strings"
	"testing"
	"time"

	"bugslice/internal/secret"
)

func ring(tb testing.TB, key string) *secret.Ring {
	tb.Helper()
	r, err := secret.Parse(strings.Repeat(key, 32))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// TestSealedTexts: what was sealed is read by its instance alone, for its purpose alone, and unchanged alone.
func TestSealedTexts(t *testing.T) {
	t.Parallel()
	r := ring(t, "ab")
	token := submitToken{Source: "src_1", Origin: "https://shop.example", Issued: time.Unix(1e9, 0).UTC(),
		Salt: newSalt(), Bits: 14}
	text, err := seal(r, tokenPurpose, token)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := unseal[submitToken](r, tokenPurpose, text); !ok || got != token {
		t.Error(got, ok)
	}
	changed := []byte(text)
	changed[len(changed)/2] ^= 1
	for what, c := range map[string]struct {
		ring          *secret.Ring
		purpose, text string
	}{"of another instance": {ring(t, "cd"), tokenPurpose, text}, "for another purpose": {r, receiptPurpose, text},
		"changed": {r, tokenPurpose, string(changed)}, "cut": {r, tokenPurpose, text[:len(text)-4]}, "empty": {r,
			tokenPurpose, ""},
		"longer": {r, tokenPurpose, text + "="}, "endless": {r, tokenPurpose, strings.Repeat("A", 1<<20)}} {
		if got, ok := unseal[submitToken](c.ring, c.purpose, c.text); ok {
			t.Errorf("a token %s is read: %v", what, got)
		}
	}
}

// FuzzSealed: no text makes the reader of tokens fail.
func FuzzSealed(f *testing.F) {
	r := ring(f, "ab")
	text, _ := seal(r, tokenPurpose, submitToken{Salt: "x"})
	f.Add(text)
	f.Add("")
	f.Add("----")
	f.Fuzz(func(t *testing.T, given string) {
		if got, ok := unseal[submitToken](r, tokenPurpose, given); ok && given != text {
			t.Errorf("%q is read as %v", given, got)
		}
	})
}

// TestAddresses: a file of a report has one address, which is another one for each report, occurrence and file.
func TestAddresses(t *testing.T) {
	t.Parallel()
	r := ring(t, "ab")
	of := receipt{Source: "src_1", Subject: "slc_1", Occurrence: 1, Expires: time.Unix(1, 0)}
	seen := map[string]string{}
	for what, c := range map[string]struct {
		receipt
		part string
	}{"a file": {of, "1"}, "another file": {of, "2"}, "of another report": {receipt{Source: "src_1", Subject: "slc_2",
		Occurrence: 1}, "1"},
		"of another occurrence": {receipt{Source: "src_1", Subject: "slc_1", Occurrence: 2}, "1"},
		"of another source":     {receipt{Source: "src_2", Subject: "slc_1", Occurrence: 1}, "1"}} {
		address := uploadAddress(r, c.receipt, c.part)
		if other := seen[address]; other != "" || len(address) < 40 {
			t.Errorf("%s has the address of %s: %s", what, other, address)
		}
		seen[address] = what
	}
	later := of
	later.Expires = time.Unix(2, 0)
	if uploadAddress(r, of, "1") != uploadAddress(r, later, "1") {
		t.Error("a later receipt of the same report leads elsewhere")
	}
}
