package evidence

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
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
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "the lines, redacted a second time,", string(twice.Lines()), string(s.Lines()))
	assert.Equal(t, "the secrets of a second time", again, redact.Counts{})
	return string(s.Lines()), c
}

// TestTypedActions: the value typed into a field is removed when the selector or the value is sensitive; the values
// of other fields and the labels of clicked elements stay.
func TestTypedActions(t *testing.T) {
	const row = `{"type":%q,"timestamp":"2026-11-20T10:00:00Z","selector":%q,%q:%q}`
	var rows []string
	for n := 1; n <= 16; n++ {
		rows = append(rows, fmt.Sprintf(row, "input", "#n", "value", "4111111111111111"[:n]))
	}
	rows = append(rows, fmt.Sprintf(row, "input", "#password-input", "value", "hun"),
		fmt.Sprintf(row, "fill", "#password", "text", "hunter2"), fmt.Sprintf(row, "change", "#pin", "value", "47"),
		fmt.Sprintf(row, "click", "#password", "text", "Your password"),
		fmt.Sprintf(row, "input", "#city", "value", "Umeå"))
	out, c := leftOf(t, api.KindActions, rows...)
	for _, secret := range []string{`"4`, `"hun`, `"47`} {
		if strings.Contains(out, secret) {
			t.Errorf("%s in\n%s", secret, out)
		}
	}
	assert.Contains(t, "the actions", out, "Your password", "Umeå")
	assert.Equal(t, "marks by input and by field", []int{c.ByKind()["input"], c.ByKind()["field"]}, []int{16, 3})
}

// TestTypedReplays: the value of a field that any attribute or typed value shows to be secret is removed from inputs,
// snapshots and changed attributes.
func TestTypedReplays(t *testing.T) {
	node := func(id, tag, attributes, children string) string {
		return `{"type":2,"id":` + id + `,"tagName":"` + tag + `","attributes":{` + attributes + `},"childNodes":[` +
			children + `]}`
	}
	snapshot := func(nodes ...string) string {
		return `{"type":2,"timestamp":1,"data":{"node":{"type":0,"id":1,"childNodes":[` + strings.Join(nodes, ",") +
			`]}}}`
	}
	input := func(id, text string) string {
		return `{"type":3,"timestamp":2,"data":{"source":5,"id":` + id + `,"text":"` + text + `"}}`
	}
	change := func(id, value string) string {
		return `{"type":3,"timestamp":2,"data":{"source":0,"texts":[],"attributes":[{"id":` +
			id + `,"attributes":{"value":"` + value + `"}}],"removes":[],"adds":[]}}`
	}
	for what, attributes := range map[string]string{"id": `"id":"password-input"`,
		"pass": `"name":"pass"`, "pin": `"name":"pin"`, "token": `"name":"token"`,
		"code": `"autocomplete":"one-time-code"`, "mark": `"data-rr-is-password":"true"`,
		"type": `"type":"password"`, "class": `"class":"form-control cvc-field"`,
		"test": `"data-testid":"passwordField"`} {
		for _, tag := range []string{"input", "INPUT", "select", "textarea"} {
			for _, id := range []string{"7", `"7"`, "7.5"} {
				out, c := leftOf(t, api.KindReplay, snapshot(node(id, tag, attributes+`,"value":"s3c"`, "")),
					input(id, "s3cr"), change(id, "s3cr3"))
				if strings.Contains(out, "s3c") || c.ByKind()["input"] != 3 {
					t.Errorf("%s of %s %s: %v\n%s", what, tag, id, c, out)
				}
			}
		}
	}
	var rows []string
	for n := 1; n <= 16; n++ {
		rows = append(rows, input("7", "4111111111111111"[:n]), change("7", "4111111111111111"[:n]))
	}
	out, _ := leftOf(t, api.KindReplay, append(rows, snapshot(node("7", "input", `"value":"41111"`, "")))...)
	if strings.Contains(out, `"4`) {
		t.Errorf("%s", out)
	}
	out, _ = leftOf(t, api.KindReplay, rows[1], rows[3], rows[31])
	if strings.Contains(out, `"4`) {
		t.Errorf("by changes alone: %s", out)
	}
	out, _ = leftOf(t, api.KindReplay, snapshot(node("8", "textarea", `"name":"secret"`,
		`{"type":3,"id":9,"textContent":"s3cr3t"}`),
		node("3", "meta", `"name":"csrf-token","content":"s3cr3t"`, ""),
		node("4", "meta", `"name":"viewport","content":"width=5"`, "")),
		`{"type":3,"timestamp":2,"data":{"source":0,"texts":[{"id":9,"value":"s3cr3t"}],"attributes":[{"id":3,`+
			`"attributes":{"content":"s3cr3t2"}}],"adds":[{"parentId":8,"node":{"type":3,"id":11,"textContent":"s3cr3t3"}}]}}`)
	if strings.Contains(out, "s3cr") || !strings.Contains(out, "width=5") {
		t.Errorf("%s", out)
	}
	plain := []string{snapshot(node("7", "input", `"id":"city","value":"Umeå"`, "")),
		input("7", "Umeå"), change("7", "Umeå"), input("8", "***")}
	if out, c := leftOf(t, api.KindReplay, plain...); strings.Count(out, "Umeå") != 3 || len(c) > 0 {
		t.Errorf("%v\n%s", c, out)
	}
}

// TestDeep: evidence that is nested too deep is refused.
func TestDeep(t *testing.T) {
	for depth, taken := range map[int]bool{maxDepth - 2: true, maxDepth: false, 5000: false} {
		in := `{"type":4,"timestamp":1,"data":` + strings.Repeat("[", depth) + `{"password":"s3cr3t"}` +
			strings.Repeat("]", depth) + `}`
		s, err := Parse(api.KindReplay, file(api.KindReplay, in), redactor(t), redact.Counts{})
		if (err == nil) != taken || strings.Contains(string(s.Lines()), "s3cr3t") {
			t.Errorf("%d deep: %v", depth, err)
		}
	}
}
