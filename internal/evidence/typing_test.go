package evidence

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/redact"
)

// leftOf returns a set as it is kept, of rows with a secret that is typed piece by piece.
func leftOf(t *testing.T, kind api.AttachmentKind, rows ...string) (string, redact.Counts) {
	t.Helper()
	c := redact.Counts{}
	s, err := Parse(kind, file(kind, rows...), redactor(t), c)
	if err == nil {
		err = readable(s)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, rows)
	}
	again := redact.Counts{}
	twice, err := Parse(kind, s.Lines(), redactor(t), again)
	if err != nil || string(twice.Lines()) != string(s.Lines()) || len(again) > 0 {
		t.Errorf("a second time %v %v\n%s\n%s", again, err, s.Lines(), twice.Lines())
	}
	return string(s.Lines()), c
}

// TestTypedActions: what is typed into a field goes as a whole, when its selector tells or any of
// it is secret; what is typed into another field and the labels of what is clicked stay.
func TestTypedActions(t *testing.T) {
	const row = `{"type":%q,"timestamp":"2026-11-20T10:00:00Z","selector":%q,%q:%q}`
	var rows []string
	for n := 1; n <= 16; n++ {
		rows = append(rows, fmt.Sprintf(row, "input", "#n", "value", "4111111111111111"[:n]))
	}
	rows = append(rows, fmt.Sprintf(row, "input", "#password-input", "value", "hun"), fmt.Sprintf(row, "fill", "#password", "text", "hunter2"), fmt.Sprintf(row, "change", "#pin", "value", "47"),
		fmt.Sprintf(row, "click", "#password", "text", "Your password"), fmt.Sprintf(row, "input", "#city", "value", "Umeå"))
	out, c := leftOf(t, api.KindActions, rows...)
	for _, secret := range []string{`"4`, `"hun`, `"47`} {
		if strings.Contains(out, secret) {
			t.Errorf("%s in\n%s", secret, out)
		}
	}
	if !strings.Contains(out, "Your password") || !strings.Contains(out, "Umeå") || c["input"] != 16 || c["field"] != 3 {
		t.Errorf("%v\n%s", c, out)
	}
}
