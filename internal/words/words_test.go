package words_test

import (
	"slices"
	"strings"
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
			if seen[w] {
				t.Errorf("%q: the word %q comes twice", s, w)
			}
			if !utf8.ValidString(w) || w == "" {
				t.Errorf("%q: %q is empty or not UTF-8", s, w)
			}
			seen[w] = true
			for _, r := range w {
				if r < 0x30 || strings.ContainsRune("'\"\x7f", r) {
					t.Errorf("%q: the word %q has %q", s, w, r)
				}
			}
		}
	})
}

func TestBeginWith(t *testing.T) {
	name := words.Split("Mára van der Lindqvist 李")
	for searched, want := range map[string]bool{"": true, "mar": true, "LIN mára": true, "li": true, "李": true, "van der": true,
		"ara": false, "lindqvists": false, "mar x": false} {
		if got := words.BeginWith(name, words.Split(searched)); got != want {
			t.Errorf("%q: %v", searched, got)
		}
	}
}
