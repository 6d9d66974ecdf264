package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/internal/redact"
)

// TestExplain: each removed part has the rule that removes it, in prose, URLs, JSON, headers and lines of keys.
func TestExplain(t *testing.T) {
	rules := redact.Rules{Fields: []string{"customerNumber", "iban*"},
		Patterns: []string{`CUST-[0-9]{6}`, `order (?P<secret>\d+)`},
		Masks:    []string{"CUST-******", ""}}
	r, err := redact.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"nothing here":                                         "",
		"password=hunter2-and-more":                            "hunter2-and-more field ",
		"Ask CUST-123456 and CUST-654321.":                     "CUST-123456 rule CUST-[0-9]{6}|CUST-654321 rule CUST-[0-9]{6}",
		"see order 4711 today":                                 `4711 rule order (?P<secret>\d+)`,
		"customerNumber: 88123":                                "88123 rule customerNumber",
		"https://x.example/?customer_number=881&page=2":        "881 rule customerNumber",
		"https://x.example/?access_token=abcdef123456&page=2":  "abcdef123456 field ",
		"POST https://x.example/pay?access_token=abcdef123456": "abcdef123456 field ",
		"(see https://x.example/?access_token=abcdef123456).":  "abcdef123456 field ",
		`{"password":"a b c","n":1,"ibanCode":12345}`:          "a b c field |12345 rule iban*",
		"Authorization: Bearer abcdefgh12345678\nok":           "abcdefgh12345678 authorization ",
		"card 4111 1111 1111 1111 declined":                    "4111 1111 1111 1111 card ",
		"password=[redacted:field] and CUST-000001":            "CUST-000001 rule CUST-[0-9]{6}",
		"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----\nafter": "*private_key ",
	} {
		removals, ok := r.Explain(text)
		if !ok {
			t.Errorf("%q: not explained", text)
		}
		var got []string
		for _, m := range removals {
			part := text[m.Start:m.End]
			if strings.HasPrefix(want, "*") {
				part = "*"
			}
			sign := " "
			if part == "*" {
				sign = ""
			}
			got = append(got, fmt.Sprint(part, sign, m.Kind, " ", m.Rule))
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%q: %q, not %q", text, text, want)
		}
	}
}

// FuzzExplain: the rest of a text is in the redacted text in the same order, and the removed parts do not overlap.
func FuzzExplain(f *testing.F) {
	rules := redact.Rules{Fields: []string{"customerNumber"}, Patterns: []string{`CUST-[0-9]{6}`},
		Masks: []string{"CUST-******"}}
	for _, seed := range []string{"password=hunter2 CUST-123456", `{"token":"abc","n":4111111111111111}`,
		"https://a:b@x.example/?key=1#t=2",
		"a\"[redacted:field]\"b", "REDACTED [redacted:card] customerNumber=1"} {
		f.Add(seed)
	}
	r, err := redact.New(rules)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		removals, _ := r.Explain(text)
		out, at := r.Text(text, redact.Counts{}), 0
		for _, m := range append(removals, redact.Removal{Start: len(text), End: len(text)}) {
			if m.Start < at || m.End < m.Start {
				t.Fatalf("%q: the removals overlap: %v", text, removals)
			}
			kept := strings.Trim(text[at:m.Start], `"`)
			i := strings.Index(out, kept)
			if i < 0 {
				t.Fatalf("%q: %q is shown as kept, and is not in %q", text, kept, out)
			}
			out, at = out[i+len(kept):], m.End
		}
	})
}
