package redact

import (
	"strings"
	"testing"
)

// TestOutline: the form of a value has its kinds of characters and its signs, and no letter or digit of it.
func TestOutline(t *testing.T) {
	for value, want := range map[string]string{
		"":                      "",
		"acme_9kQ2":             "aaaa_9aA9",
		"Ünïcode 4711!":         "Aaaaaaa 9999!",
		"a\u202eb\nc\x00":       "a a a ",
		"→ ok":                  "? aa",
		strings.Repeat("x", 41): strings.Repeat("a", 40) + "…",
		strings.Repeat("X", 40): strings.Repeat("A", 40),
	} {
		if got := Outline(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
