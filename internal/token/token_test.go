package token_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugslice/internal/token"
)

func TestEveryAlterationIsSeen(t *testing.T) {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-."
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom([]token.Kind{token.PAT, token.WST}).Draw(r, "kind")
		text := token.New(kind)
		if got, ok := token.Parse(text); !ok || got != kind {
			r.Fatalf("%s is not parsed", text)
		}
		at := rapid.IntRange(0, len(text)-1).Draw(r, "at")
		to := alphabet[rapid.IntRange(0, len(alphabet)-1).Draw(r, "to")]
		altered := text[:at] + string(to) + text[at+1:]
		if _, ok := token.Parse(altered); ok && altered != text {
			r.Fatalf("%s altered to %s is taken", text, altered)
		}
	})
}

func TestTokensAreNotPredictable(t *testing.T) {
	seen, counts := map[string]bool{}, map[rune]int{}
	for range 2000 {
		text := token.New(token.PAT)
		if seen[text] || len(text) != 44 {
			t.Fatalf("repeated or of the wrong length: %s", text)
		}
		seen[text] = true
		for _, c := range text[8:38] {
			counts[c]++
		}
	}
	for c, n := range counts { // 968 expected; ten standard deviations
		if n < 650 || n > 1290 {
			t.Errorf("%c came %d times of 60000", c, n)
		}
	}
	if len(counts) != 62 {
		t.Errorf("%d of 62 characters", len(counts))
	}
}

func TestFromAuthorization(t *testing.T) {
	for header, want := range map[string]string{"Bearer abc": "abc", "bearer abc": "abc", "BEARER   a.b-c_d~e+f/g==": "a.b-c_d~e+f/g==",
		"": "", "Bearer": "", "Bearer ": "", "Bearer  ": "", "Basic abc": "", "Bearerabc": "", "Bearer a b": "", "Bearer a,b": "", "Bearer ==": "", "Bearer a=b": "", "Bearer\tabc": ""} {
		if got, ok := token.FromAuthorization(header); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v", header, got, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(token.New(token.PAT))
	f.Add("svc_pat_")
	f.Fuzz(func(t *testing.T, s string) {
		if kind, ok := token.Parse(s); ok && !strings.HasPrefix(s, "svc_"+string(kind)+"_") {
			t.Errorf("%q is taken for a %s", s, kind)
		}
	})
}

func FuzzFromAuthorization(f *testing.F) {
	f.Add("Bearer abc")
	f.Add("bearer  ==")
	f.Fuzz(func(t *testing.T, s string) {
		if text, ok := token.FromAuthorization(s); ok && (text == "" || strings.ContainsAny(text, " \t\r\n,;\"") || !strings.HasSuffix(s, text)) {
			t.Errorf("%q gives %q", s, text)
		}
	})
}
