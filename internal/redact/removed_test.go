package redact_test

import (
	"strings"
	"testing"

	"bugslice/internal/redact"
)

// TestRepeatedValues: a value that was removed from one text of a report is removed from the others, before and
// after, and only there.
func TestRepeatedValues(t *testing.T) {
	const secret = "9kQ2mW4xR8tL1vN6pB3cD5hJ"
	r := redactor(t, redact.Rules{})
	for in, want := range map[string]string{
		"retried " + secret + ", token=" +
			secret: "retried [redacted:field], token=[redacted:field]",
		"token=" + secret + " GET https://example.com/v1/" + secret +
			"/x": "token=[redacted:field] GET https://example.com/v1/REDACTED/x",
		"password: Tr0ub4dor3 and Tr0ub4dor33": "password: [redacted:field] and Tr0ub4dor33",
	} {
		if got := r.Text(in, nil); got != want {
			t.Errorf("%s", got)
		}
	}
	body := `{"token":"` + secret + `","echo":["a","` + secret + `"]}`
	if got := r.Body("", body, nil); strings.Contains(got, secret) {
		t.Error(got)
	}
	har := map[string]any{"log": map[string]any{"entries": []any{map[string]any{
		"request": map[string]any{"url": "https://example.com/",
			"headers": []any{map[string]any{"name": "X-Acme-Key", "value": secret}}},
		"response": map[string]any{"content": map[string]any{"text": "echo " + secret}}}}}}
	if r.HAR(har, nil); strings.Contains(encode(t, har), secret) {
		t.Error(encode(t, har))
	}
	report := r.Report()
	before := report.Text("seen "+secret, nil)
	report.Text("apiKey="+secret, nil)
	if got := report.Text("then "+secret, nil); strings.Contains(got, secret) {
		t.Error(got)
	}
	c := redact.Counts{}
	if got := report.RemoveRepeated(before, c); got != "seen [redacted:field]" || c.ByKind()["field"] != 1 {
		t.Errorf("%s %v", got, c)
	}
	if got := r.Text("seen "+secret, nil); !strings.Contains(got, secret) {
		t.Errorf("another report: %s", got)
	}
}
