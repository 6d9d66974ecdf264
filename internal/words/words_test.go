package words_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"bugslice/internal/words"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"Checkout BUTTON, checkout!": {"checkout", "button"}, "Crème brûlée": {"creme", "brulee"}, "Straße": {"strasse"}, "ΣΊΣΥΦΟΣ σίσυφος": {"σισυφοσ"},
		"支払い": {"支", "払", "い"}, "foo_bar-42": {"foo", "bar", "42"}, "": nil, "!?": nil, "ﬁne": {"fine"}, "Zurück İstanbul": {"zuruck", "istanbul"},
	} {
		if got := words.Split(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzSplit: words are distinct, hold no quotes, and splitting them again changes nothing.
func FuzzSplit(f *testing.F) {
	f.Add("Crème 'quoted' \"words\"")
	f.Add("\xff支İß")
	f.Fuzz(func(t *testing.T, s string) {
		seen := map[string]bool{}
		for _, w := range words.Split(s) {
			if seen[w] || !utf8.ValidString(w) || w == "" {
				t.Errorf("%q: %q", s, w)
			}
			seen[w] = true
			for _, r := range w {
				if r < 0x30 || r == '\'' || r == '"' || r == 0x7f {
					t.Errorf("%q: %q", s, w)
				}
			}
		}
	})
}
