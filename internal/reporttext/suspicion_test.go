package reporttext

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
)

// recording returns the time line of a console error at second 10 and a response of second 5.
func recording(t *testing.T, message, mediaType, body string) string {
	t.Helper()
	console := Collect(Console, 1, anyRow)
	console.Add([]byte(fmt.Sprintf(`{"level":"error","timestamp":"2026-11-20T10:00:10Z","message":%q,"stack":"at pay"}`, message)))
	read := []Evidence{{Kind: Console, Read: []Highlights{console.Highlights}, Rows: 1}, {Kind: Network, Rows: 1}}
	f := FailuresOf(read, time.Time{})
	a := f.Around(Network, 1)
	a.Add([]byte(fmt.Sprintf(`{"startedDateTime":"2026-11-20T10:00:05Z","time":1,
		"request":{"method":"GET","url":"https://shop.example/api/cart","headers":[{"name":"Accept","value":"application/json"}]},
		"response":{"status":200,"statusText":"OK","headers":[],
		"content":{"mimeType":%q,"size":%d,"text":%q}}}`, mediaType, len(body), body)))
	read[1].Around = a.Lines
	d := &document{path: "/v1/slices/WEB-1", zero: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	d.add(timeline(d, Report{Evidence: read, Failures: f}))
	return d.text(4000)
}

// TestSuspicion: a response that succeeded is suspicious when a member that a later error reads or names is null or
// missing in it, when it is HTML or empty where JSON was asked for, and when it says that it is an error.
func TestSuspicion(t *testing.T) {
	const json = "application/json"
	for _, c := range []struct{ message, mediaType, body, want string }{
		{"Cannot read properties of null (reading 'percent')", json,
			`{"a":{"terms":{"percent":5}},"b":{"terms":null}}`,
			`suspicious: "terms": null in b {"terms":null}, elsewhere {"terms":{"percent":5}}; a later error reads percent of null`},
		{"Cannot read property 'map' of undefined", json, `[{"items":[1]},{"id":2}]`,
			`suspicious: "items" is missing in 1 {"id":2}, elsewhere {"items":[1]}; a later error reads map of undefined`},
		{"can't access property \"percent\", code.terms is null", json, `{"code":{"terms":null}}`,
			`suspicious: "terms": null in code {"terms":null}; a later error reads percent of null`},
		{"null is not an object (evaluating 'code.terms.percent')", json, `{"code":{"terms":null}}`,
			`suspicious: "terms": null in code {"terms":null}; a later error reads percent of null`},
		{"Cannot read properties of null (reading 'x')", json, `{"code":{"terms":null}}`,
			`perhaps suspicious: "terms": null in code {"terms":null}; a later error reads x of null`},
		{"order failed: terms are nil", json, `{"terms":null}`, `suspicious: "terms": null in {"terms":null}; a later error names terms`},
		{"Unexpected token '<'", "text/html", "<!doctype html><h1>Bad gateway", "suspicious: HTML where JSON was asked for"},
		{"Unexpected end of JSON input", json, "", "suspicious: an empty body where JSON was asked for"},
		{"no", json, `{"errors":[{"message":"no such field"}],"data":null}`,
			`suspicious: a success that says {"errors":[{"message":"no such field"}]}`},
		{"no", json, `{"ok":false}`, `suspicious: a success that says {"ok":false}`},
		{"no", json, `{"error":null,"errors":[],"terms":null,"success":true}`, ""},
		{"Cannot read properties of undefined (reading 'percent')", json, `{"terms":{"percent":5}}`, ""},
		{"Cannot read properties of null (reading 'percent')", json, `{"terms":`, ""},
	} {
		text := recording(t, c.message, c.mediaType, c.body)
		if c.want == "" && strings.Contains(text, "suspicious") {
			t.Errorf("%s after %s:\n%s", c.message, c.body, text)
		}
		assert.Contains(t, c.message+" after "+c.body, text, c.want, "\n+5.00s GET https://shop.example/api/cart → 200 OK\n",
			"+10.00s error: ")
	}
}

// TestSuspicionIsBounded: a large and a deep response are read in little time.
func TestSuspicionIsBounded(t *testing.T) {
	wide := `{"a":[` + strings.Repeat(`{"id":1,"terms":null},`, 10_000) + `{}]}`
	deep := strings.Repeat(`{"a":`, 9000) + "null" + strings.Repeat("}", 9000)
	began := time.Now()
	for _, body := range []string{wide, deep} {
		_ = recording(t, "Cannot read properties of null (reading 'percent')", "application/json", body)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestClicksGoBeforeTheDescription: when a report is short, clicks and typing are left out before a line of the
// description or a comment, and the failure stays.
func TestClicksGoBeforeTheDescription(t *testing.T) {
	actions := Collect(Actions, 100, anyRow)
	for i := range 100 {
		actions.Add([]byte(fmt.Sprintf(`{"type":"click","timestamp":"2026-11-20T10:%02d:%02dZ","selector":"#button-%d"}`, i/60, i%60, i)))
	}
	console := Collect(Console, 1, anyRow)
	console.Add([]byte(`{"level":"error","timestamp":"2026-11-20T10:01:40Z","message":"it failed","stack":"at pay"}`))
	read := []Evidence{{Kind: Console, Read: []Highlights{console.Highlights}, Rows: 1},
		{Kind: Actions, Read: []Highlights{actions.Highlights}, Rows: 100}}
	d := &document{path: "/v1/slices/WEB-1", zero: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	d.add(textSection("", "", "# WEB-1", 0))
	d.add(textSection("Description", "markdown", strings.Repeat("one of the steps to reproduce it\n", 20), 5))
	d.add(timeline(d, Report{Evidence: read, Failures: FailuresOf(read, time.Time{})}))
	text := d.text(500)
	assert.Contains(t, "the report", text, strings.Repeat("one of the steps to reproduce it\n", 20), "it failed\nat pay\n",
		"click #button-99\n", " more actions: /actions\n")
	if strings.Contains(text, "#button-1\n") {
		t.Errorf("an old click is shown:\n%s", text)
	}
}
