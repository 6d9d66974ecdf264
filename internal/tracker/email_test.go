package tracker_test

import (
	"testing"

	"bugslice/internal/tracker"
)

// TestParseEmail: an address is stored in lower case, and none becomes the address of somebody else by that.
func TestParseEmail(t *testing.T) {
	for text, want := range map[string]string{" Ada@Acme.Example ": "ada@acme.example",
		"ÉMILE@acme.example": "émile@acme.example"} {
		if got, err := tracker.ParseEmail(text); err != nil || got != want {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
	for _, text := range []string{"", "ada", "Ada <ada@acme.example>",
		"\u0130da@acme.example", "an\u212aa@acme.example", "a\x00@acme.example", `"a b"@acme.example`,
		`"<img>"@acme.example`} {
		if got, err := tracker.ParseEmail(text); err == nil {
			t.Errorf("%q is accepted as %q", text, got)
		}
	}
}
