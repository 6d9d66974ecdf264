package redact_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"bugslice/internal/redact"
)

// TestSecondCorpus: the samples of a second author are redacted.
func TestSecondCorpus(t *testing.T) {
	r := redactor(t, redact.Rules{})
	for _, file := range []string{"leaks", "harmless"} {
		raw, err := os.ReadFile("testdata/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var all []struct {
			How, Type, In string
			Secrets       []string
		}
		if err := json.Unmarshal(raw, &all); err != nil || len(all) < 60 {
			t.Fatal(err, len(all))
		}
		for _, s := range all {
			c := redact.Counts{}
			out := look(t, r, sample{entry: s.How, arg: s.Type}, s.In, c)
			for _, secret := range s.Secrets {
				if strings.Contains(out, secret) {
					t.Errorf("%s %s: %q survives in\n%s", s.How, s.Type, secret, out)
				}
			}
			if file == "harmless" && (out != s.In || len(c) > 0) {
				t.Errorf("%s %s: %v\n%s\n%s", s.How, s.Type, c, s.In, out)
			}
		}
	}
}

// TestMasks stand in place of a match, and are not matched again.
func TestMasks(t *testing.T) {
	r := redactor(t, redact.Rules{Patterns: []string{`CUST-[0-9]{6}`, `order (?P<secret>[0-9]+)`},
		Masks: []string{"CUST-******"}})
	c := redact.Counts{}
	if got := r.Text("CUST-123456 has order 77, CUST-999999",
		c); got != "CUST-****** has order [redacted:rule], CUST-******" ||
		c.ByKind()["rule"] != 3 {
		t.Errorf("%s %v", got, c)
	}
	if got := r.Body("", `{"a":"CUST-123456"}`, c); got != `{"a":"CUST-******"}` {
		t.Errorf("%s", got)
	}
	if _, err := redact.New(redact.Rules{Patterns: []string{"[a-z]+"}, Masks: []string{"mask"}}); err == nil {
		t.Error("a pattern that matches its own mask is taken")
	}
}
