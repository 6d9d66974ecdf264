package token_test

import (
	"hash/crc32"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugslice/internal/token"
)

func TestEveryAlterationIsSeen(t *testing.T) {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-."
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom([]token.Kind{token.PAT, token.WST, token.Share}).Draw(r, "kind")
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

// TestTokensStayValid: a token that was issued stays valid. It was computed apart from this code.
func TestTokensStayValid(t *testing.T) {
	const text = "svc_pat_" + "abcdefghijABCDEFGHIJ0123456789" + "2qeEsH"
	if kind, ok := token.Parse(text); !ok || kind != token.PAT {
		t.Errorf("%s is not taken", text)
	}
	if got := token.Hash(text); got != "ab949915acfb0bfd9b9fefaca36fc5e0b1f986de9c9504148f747bbab3dd9b50" {
		t.Errorf("its hash is %s", got)
	}
	if token.Last4(text) != text[40:] || token.Last4("ab") != "ab" {
		t.Error("not the last four characters")
	}
}

// A checksum that is right does not make up for what is wrong before it.
func TestParseRefuses(t *testing.T) {
	body := strings.Repeat("a", 30)
	for _, bad := range []string{"", "svc_pat_", "svc_abc_" + body, "SVC_PAT_" + body,
		"svc_pat_" + body[1:], "svc_pat_" + body + "a", "svc_pat_-" + body[1:], "svc_pat_é" + body[2:], "svc_shr_" +
			body} {
		if _, ok := token.Parse(bad + checksum(bad)); ok {
			t.Errorf("%s is taken", bad)
		}
	}
	if kind, ok := token.Parse("svc_wst_" + body + checksum("svc_wst_"+body)); !ok || kind != token.WST {
		t.Error("and the right one is not")
	}
	if kind, ok := token.Parse("svc_shr_" + strings.Repeat("a", 43) +
		checksum("svc_shr_"+strings.Repeat("a", 43))); !ok ||
		kind != token.Share {
		t.Error("and that of a share is not")
	}
}

func checksum(s string) string {
	const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	out := ""
	for crc := crc32.ChecksumIEEE([]byte(s)); len(out) < 6; crc /= 62 {
		out = base62[crc%62:crc%62+1] + out
	}
	return out
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
	for header, want := range map[string]string{"Bearer abc": "abc", "bearer abc": "abc",
		"BEARER   a.b-c_d~e+f/g==": "a.b-c_d~e+f/g==",
		"":                         "", "Bearer": "", "Bearer ": "", "Bearer  ": "", "Basic abc": "",
		"Bearerabc": "", "Bearer a b": "", "Bearer a,b": "", "Bearer ==": "", "Bearer a=b": "", "Bearer\tabc": ""} {
		if got, ok := token.FromAuthorization(header); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v", header, got, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(token.New(token.PAT))
	f.Add(token.New(token.WST))
	f.Add(token.New(token.Share))
	f.Add("svc_pat_")
	f.Fuzz(func(t *testing.T, s string) {
		if kind, ok := token.Parse(s); ok && (!strings.HasPrefix(s, "svc_"+string(kind)+"_") ||
			len(s) != len(token.New(kind)) || checksum(s[:len(s)-6]) != s[len(s)-6:]) {
			t.Errorf("%q is taken for a %s", s, kind)
		}
	})
}

func FuzzFromAuthorization(f *testing.F) {
	f.Add("Bearer abc")
	f.Add("bearer  ==")
	f.Add("BEARER   a.b-c_d~e+f/g==")
	f.Fuzz(func(t *testing.T, s string) {
		if text, ok := token.FromAuthorization(s); ok && (text == "" ||
			strings.ContainsAny(text, " \t\r\n,;\"") || !strings.HasSuffix(s, text)) {
			t.Errorf("%q gives %q", s, text)
		}
	})
}
